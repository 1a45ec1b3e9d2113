"""Text that tries to instruct an agent: hidden characters by rule, wording by a linear classifier over n-grams.

`python -m protection.train` makes the weights from `examples/training_*.txt`; `python -m protection.measure` measures
them on `examples/test_*.txt`. Both are repeatable. docs/protection.md has the figures.
"""

import json
import math
import re
import tomllib
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

from protection.findings import Family, Finding, find_in_plain

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

SENTENCE_END = re.compile(r"(?:[.!?][\"'”»)\]]*(?=\s)|[\u3002\uff01\uff1f]|\n)\s*")
SPACED = re.compile(r"\b\w(?: \w){5,}\b(?:\s{2,}\w(?: \w)+\b)*")
TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)?|<\|?/?|\|?>|[\[\]{}:#=`\"]+")
LOOKALIKES = str.maketrans("аеорсухіјѕԁһкмтвнАЕОРСУХІЈЅКМТВН", "aeopcyxijsdhkmtbhAEOPCYXIJSKMTBH")
LEET = str.maketrans("013457@$", "oieastas")
LEET_WORD = re.compile(r"\b(?=\w*[a-z])(?=\w*[013457@$])[\w@$]+")

REACH = 8  # tokens
CLASSES = re.compile(
    "|".join(
        f"(?P<{name}>(?:{'|'.join(words.split())})$)"
        for name, words in tomllib.loads(Path(__file__).with_name("instruction_words.toml").read_text()).items()
    )
)
# Marks of chat templates and calls of tools. In prose nobody writes them, so each is a finding by itself.
CALLS = re.compile(
    r"<\|\w+\|>|\[/?INST\]|<</?SYS>>|\[TOOL_CALLS\]|<tool_call>|<function_calls>|<invoke\s+name=|<function=\w+>|```tool_code"
    r"|\"(?:tool_calls|function_call)\"\s*:\s*[\[{]|^Action:.*\n?.*\bAction Input:"
    r"|\"role\"\s*:\s*\"(?:system|developer)\"\s*,",
    re.MULTILINE,
)
SHAPES = {
    "tag": re.compile(r"</?(?:system|instructions?|assistant|system[_-]\w+|context|document|data|memories)\b[^>]*>"),
    "role": re.compile(r"\"role\"\s*:\s*\"assistant\"\s*,\s*\"content\""),
    "turn": re.compile(r"(?:^|\n)\W*(?:system|assistant|human|developer)\b[\w ]*:\s*\w"),
    "end": re.compile(
        r"\b(?:end|begin)\w*\b[\w ]*(?:context|data|document|instructions?|message|input)"
        r"|(?:data|memories) (?:ends?|are over)"
    ),
    "comment": re.compile(r"<!--.*(?:ai|assistant|model|instruction).*-->|\[(?:hidden|instruction|system)[^\]]*\]"),
    "quoted": re.compile(r"[\"“«][^\"”»]{5,80}[\"”»]"),
}


def find_instructions(text: str) -> list[Finding]:
    found = [Finding(start, end, Family.INSTRUCTIONS, HIDDEN) for start, end in find_hidden(text)]
    found += find_in_plain(text, find_calls)
    return found + [Finding(start, end, Family.INSTRUCTIONS, WORDING) for start, end in find_wording(text)]


def find_calls(text: str) -> list[Finding]:
    return [Finding(*match.span(), Family.INSTRUCTIONS, CALL) for match in CALLS.finditer(text)]


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
    _, threshold = load_weights()
    return [(start, end) for start, end in cut_windows(text) if score(text[start:end]) > threshold]


def cut_windows(text: str) -> Iterator[tuple[int, int]]:
    """Each sentence or line, and each two neighbours together: an attack may take a line for its address."""
    ends = [0, *(match.end() for match in SENTENCE_END.finditer(text)), len(text)]
    spans = [
        (start, min(start + LONGEST_WINDOW, end))
        for begin, end in pairwise(ends)
        for start in range(begin, end, LONGEST_WINDOW)
        if text[start:end].strip()
    ]
    yield from spans
    for (start, middle), (_, end) in pairwise(spans):
        if end - start <= LONGEST_WINDOW and middle != end:
            yield start, end


def score(text: str) -> float:
    return add_up(load_weights()[0], text)


def add_up(weights: dict[str, float], text: str) -> float:
    """The logit of a text."""
    features = list_features(normalise(text))
    return weights[""] + sum(weights.get(one, 0.0) for one in features) / max(1.0, math.sqrt(len(features)))


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
    features |= {" ".join(pair) for words in (stems, marked) for pair in pairwise(words)}
    features |= {f"^ {' '.join(marked[:size])}" for size in (1, 2)}
    known = [(at, name) for at, name in enumerate(classes) if name]
    features |= {
        f"{one}*{other}" for i, (at, one) in enumerate(known) for there, other in known[i + 1 :] if there - at <= REACH
    }
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
