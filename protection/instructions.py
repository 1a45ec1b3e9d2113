"""Text that tries to instruct an agent: hidden characters by rule, wording by a linear classifier over n-grams.

`python -m protection.train` makes the weights from `examples/training_*.txt`; `python -m protection.measure` measures
them on `examples/test_*.txt`. Both are repeatable. docs/protection.md has the figures.
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

from protection.findings import Family, Finding

WEIGHTS = Path(__file__).with_name("instruction_weights.json")
LONGEST_WINDOW = 600  # characters; a longer sentence is cut
HIDDEN, CALL, WORDING = "hidden_text", "tool_call", "instruction"

# Characters that no reader sees. The exceptions are in use: the flags of England, Scotland and Wales are spelled with
# tag characters, and one variation selector may follow a Chinese character.
TAGS = re.compile("(?<!\U0001f3f4)[\U000e0020-\U000e007e]{2,}\U000e007f?")
FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{2,6}\U000e007f")
SELECTORS = re.compile("[\U000e0100-\U000e01ef]{2,}|[\u2061-\u2064]{2,}")
OVERRIDES = re.compile("[\u202d\u202e][^\u202c\n]*\u202c?")  # letters shown in another order than they are read
ZERO_WIDTH = re.compile("(?<=[\x20-\x7e])[\u200b-\u200d\u2060\ufeff](?=[\x20-\x7e])")
MOST_ZERO_WIDTH = 2  # between Latin letters; some editors leave one behind

SENTENCE_END = re.compile(r"(?:[.!?][\"'”»)\]]*(?=\s)|[。！？]|\n)\s*")
SPACED = re.compile(r"\b\w(?: \w){5,}\b(?:\s{2,}\w(?: \w)+\b)*")
TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)?|<\|?/?|\|?>|[\[\]{}:#=`\"]+")
LOOKALIKES = str.maketrans("аеорсухіјѕԁһкмтвнАЕОРСУХІЈЅКМТВН", "aeopcyxijsdhkmtbhAEOPCYXIJSKMTBH")
LEET = str.maketrans("013457@$", "oieastas")
LEET_WORD = re.compile(r"\b(?=\w*[a-z])(?=\w*[013457@$])[\w@$]+")

REACH = 8  # tokens
# Words by their part in an attack, in English, German, French and Spanish. A class is no verdict: its weight is learnt.
CLASSES = re.compile(
    "|".join(
        f"(?P<{name}>(?:{words})$)"
        for name, words in {
            "DROP": r"ignor\w+|disregard\w*|forget|overrid\w+|bypass\w*|discard\w*|neglect\w*|abandon\w*|drop|skip|cancel\w*"
            r"|void|switch|turn|erase\w*|suspend\w*|revoke\w*|lift\w*|disable\w*|deactivat\w+|violat\w+|break\w*|obsolete|outdated"
            r"|vergiss|missacht\w+|umgeh\w*|deaktivier\w*|oublie\w*|d[eé]sactive\w*|olvid\w+|desactiv\w+|dimentica|negeer|vergeet",
            "RULE": r"instruct\w*|rules?|guidelines?|polic\w+|restrictions?|restricted|directives?|constraints?|limits?|filters?"
            r"|guardrails?|moderation|checks?|safety|protocols?|commands?|orders|anweisung\w*|regeln?|richtlinien|befehle?|consignes?|r[eè]gles?"
            r"|instrucciones|reglas|filtros?|filtres?|istruzioni|instructies|sicherheits\w+|einschr\w+|restricci\w+|[oó]rdenes|ordres",
            "PROMPT": r"prompts?|systemprompt|systeemprompt|configuration|configured|context",
            "SYSTEM": r"system\w*|syst[eè]me|sistema|developers?|admin|administrator|operator|root|owner|creators?|creador",
            "PAST": r"previous\w*|prior|earlier|above|preceding|former|initial\w*|before|bisherig\w+|vorherig\w+"
            r"|pr[eé]c[eé]dent\w*|anterior\w*|precedenti|voorgaande|start|beginning",
            "MODEL": r"assistants?|ais?|models?|llms?|chatbots?|bots?|agents?|gpt|claude|copilot|ki|ia|asistente|assistenten?"
            r"|mod[eè]le|modelo|sprachmodell|l'ia|summari[sz]er|reviewers|crawlers",
            "YOU": r"you|your|yours|yourself|you're|du|dein\w*|dir|dich|tu|ton|tes|ta|te|toi|eres|tus?|ti",
            "USER": r"users?|l'utilisateur|them|human|reader|visitor|customers?|nutzer|utilisateur|usuario|anybody|anyone|everybody",
            "MUST": r"must|shall|should|have|has|required|need|musst|dois|debes|d[uü]rf\w*|darfst",
            "ALL": r"all|any|every\w*|each|always|never|only|alle[ns]?|tout\w*|tod[oa]s|immer|toujours|siempre|nunca|jamais|nur",
            "NOW": r"now|henceforth|instead|jetzt|nun|ab|maintenant|d[eé]sormais|ahora|permanent\w*|forever|future|new|neue|nouvelles?|nuevas?",
            "SHOW": r"reveal\w*|print\w*|output\w*|show|display|repeat|leak\w*|dump\w*|list|copy|quote|write|tell|translate|encode\w*"
            r"|zeige?|nenne|affiche|r[eé]v[eè]le\w*|muestra|mu[eé]strame|revela|rivela|mostrami|toon|gib|dame|donne",
            "SEND": r"send\w*|sende|schicke|forward\w*|upload\w*|transfer\w*|append|include|submit|post|env[ií]a|envoie|transmets|wire|export\w*",
            "ACT": r"execut\w+|run|call|invoke\w*|perform|delete\w*|wipe|clear|grant\w*|visit|open|download|click|use|f[uü]hre|ausf\w+"
            r"|ex[eé]cut\w+|supprime|borra|ejecuta|l[oö]sche",
            "TOOL": r"tools?|function\w*|herramienta|outil|api|script|url|link|http\w*",
            "PRIVATE": r"secretly|passwords?|passwor[td]\w*|keys?|secrets?|secret\w+|tokens?|hidden|confidential|private|credentials?|pin|geheim\w*|cach[eé]e?s?"
            r"|ocultas|secretas|contrase[nñ]a|internal",
            "OBEY": r"obey\w*|compl(?:y|ies)|follow\w*|refuse\w*|gehorch\w*|ob[eé]i\w*|obede\w+|ablehnen|niegues?|niega|trusted|approved?|agree\w*",
            "PERSONA": r"dan|jailbr\w+|unrestricted|uncensored|unfiltered|persona|character|evil|mode|pretend|act|roleplay|imagine|simulate"
            r"|act[uú]a|without|ohne|sans|sin|free",
            "NOT": r"not|don't|no|nicht\w*|ne|pas|rien|nada",
            "MEMORY": r"memory|memories|remember|store|save|erinnerungen|recuerdos|notes?|rule|hinweis|nota",
            "READ": r"read\w*|retriev\w+|process\w*|pars\w+|summari\w+|liest|lis|lit|lees?|see|seeing",
            "TALK": r"injections?|phrase|attacks?|attackers?|security|jailbreaks?|paper|article|explain\w*|talk|report|test|tests|we|our|my|i|he|she|they"
            r"|mein\w*|wir|notre|mon|ma|mi|nuestro|the\b",
        }.items()
    )
)
# Marks of chat templates and calls of tools. In prose nobody writes them, so each is a finding by itself.
CALLS = re.compile(
    r"<\|\w+\|>|\[/?INST\]|<</?SYS>>|\[TOOL_CALLS\]|<tool_call>|<function_calls>|<invoke\s+name=|<function=\w+>|```tool_code"
    r"|\"(?:tool_calls|function_call)\"\s*:\s*[\[{]|^Action:.*\n?.*\bAction Input:|\"role\"\s*:\s*\"(?:system|developer)\"\s*,",
    re.MULTILINE,
)
SHAPES = {
    "tag": re.compile(r"</?(?:system|instructions?|assistant|system[_-]\w+|context|document|data|memories)\b[^>]*>"),
    "role": re.compile(r"\"role\"\s*:\s*\"assistant\"\s*,\s*\"content\""),
    "turn": re.compile(r"(?:^|\n)\W*(?:system|assistant|human|developer)\b[\w ]*:\s*\w"),
    "end": re.compile(
        r"\b(?:end|begin)\w*\b[\w ]*(?:context|data|document|instructions?|message|input)|(?:data|memories) (?:ends?|are over)"
    ),
    "comment": re.compile(r"<!--.*(?:ai|assistant|model|instruction).*-->|\[(?:hidden|instruction|system)[^\]]*\]"),
    "quoted": re.compile(r"[\"“«][^\"”»]{5,80}[\"”»]"),
}


def find_instructions(text: str) -> list[Finding]:
    found = [Finding(start, end, Family.INSTRUCTIONS, HIDDEN) for start, end in find_hidden(text)]
    found += [Finding(*match.span(), Family.INSTRUCTIONS, CALL) for match in CALLS.finditer(text)]
    return found + [Finding(start, end, Family.INSTRUCTIONS, WORDING) for start, end in find_wording(text)]


def find_hidden(text: str) -> list[tuple[int, int]]:
    if text.isascii():
        return []
    flags = [match.span() for match in FLAG.finditer(text)]
    tags = [one.span() for one in TAGS.finditer(text)]
    found = [span for span in tags if not any(start <= span[0] < end for start, end in flags)]
    found += [match.span() for match in (*SELECTORS.finditer(text), *OVERRIDES.finditer(text))]
    narrow = [match.span() for match in ZERO_WIDTH.finditer(text)]
    return found + (narrow if len(narrow) > MOST_ZERO_WIDTH else [])


def find_wording(text: str) -> list[tuple[int, int]]:
    threshold = load_weights()[1]
    return [(start, end) for start, end in cut_windows(text) if score(text[start:end]) > threshold]


def cut_windows(text: str) -> Iterator[tuple[int, int]]:
    """Each sentence or line, and each two neighbours together: an attack may take a line for its address."""
    ends = [0, *(match.end() for match in SENTENCE_END.finditer(text)), len(text)]
    spans = [
        (start, min(start + LONGEST_WINDOW, end))
        for begin, end in zip(ends, ends[1:], strict=False)
        for start in range(begin, end, LONGEST_WINDOW)
        if text[start:end].strip()
    ]
    yield from spans
    for (start, middle), (_, end) in zip(spans, spans[1:], strict=False):
        if end - start <= LONGEST_WINDOW and middle != end:
            yield start, end


def score(text: str) -> float:
    return add_up(load_weights()[0], text)


def add_up(weights: dict[str, float], text: str) -> float:
    """The logit of a text."""
    features = list_features(normalise(text))
    return weights[""] + sum(weights.get(one, 0.0) for one in features) / max(1.0, len(features) ** 0.5)


def normalise(text: str) -> str:
    """Undoes full-width letters, invisible characters, Cyrillic letters that look Latin, s p a c i n g and l33t."""
    plain = unicodedata.normalize("NFKC", text)
    plain = "".join(one for one in plain if unicodedata.category(one) != "Cf").translate(LOOKALIKES).lower()
    plain = SPACED.sub(lambda match: re.sub(r"(?<=\w) (?=\w)", "", match.group()), plain)
    return LEET_WORD.sub(lambda match: match.group().translate(LEET), plain)


def list_features(text: str) -> set[str]:
    """Words and pairs of words by their beginnings, which stand for other forms; classes of words, alone, in pairs and
    in order at a distance; and shapes.
    """
    tokens = TOKEN.findall(text)
    stems = [one[:5] for one in tokens]
    classes = [find_class(one) for one in tokens]
    marked = [name or stem for name, stem in zip(classes, stems, strict=True)]
    features = set(marked) | set(stems)
    features |= {" ".join(pair) for words in (stems, marked) for pair in zip(words, words[1:], strict=False)}
    features |= {f"^ {' '.join(marked[:size])}" for size in (1, 2)}
    known = [(at, name) for at, name in enumerate(classes) if name]
    features |= {f"{one}*{other}" for i, (at, one) in enumerate(known) for there, other in known[i + 1 :] if there - at <= REACH}
    named = dict.fromkeys(name for _, name in known)
    features |= {f"{one}&{other}" for one in named for other in named if one < other}
    return features | {f"<{name}>" for name, shape in SHAPES.items() if shape.search(text)}


@lru_cache(maxsize=20_000)
def find_class(token: str) -> str:
    match = CLASSES.match(token)
    return match.lastgroup or "" if match else ""


@cache
def load_weights() -> tuple[dict[str, float], float]:
    """The weights by feature, with the bias under the empty name, and the threshold of the logit."""
    stored = json.loads(WEIGHTS.read_text())
    return stored["weights"], stored["threshold"]
