"""What is said to or of the agent, turned into its own words: "You were born" becomes "I was born"."""

from collections.abc import Iterator, Mapping

from banks.english.edits import Edit, apply_edits
from banks.english.parsed import Parsed
from banks.english.parser import parse
from banks.english.word_set import word_set

SUBJECTS = ("nsubj", "nsubjpass")
AUXILIARIES = frozenset({"aux", "auxpass"})
OWN = {"your": "my", "yours": "mine", "yourself": "myself"}
FORMS_OF_YOU = {"are": "am", "were": "was", "'re": "'m", "re": "'m"}
FORMS_OF_NAME = {"is": "am", "has": "have", "does": "do", "'s": "'m"}
HISSING = ("sses", "shes", "ches", "xes", "zes", "oes")
ARTICLES = frozenset({"the", "this"})
THIRD: tuple[Mapping[str, str], ...] = (
    {"she": "I", "her": "me", "hers": "mine", "herself": "myself"},
    {"he": "I", "him": "me", "his": "my", "himself": "myself"},
)
# Others whom "she" may mean.
PEOPLE = word_set(
    "you your i my we our they their",
    "wife husband partner spouse mother father mom mum dad parent sister brother daughter son child girlfriend",
    "boyfriend friend aunt uncle cousin niece nephew grandmother grandfather boss colleague neighbour neighbor woman",
    "man girl boy lady doctor customer client user",
)
ROLES = frozenset({"agent", "assistant", "bot"})


def to_first_person(text: str, name: str = "", *, is_of_agent: bool = False) -> str:
    """`name` is the agent's own. What is in the first person, or says not whom it is about, stays as it is.

    `is_of_agent`: the text is known to be about the agent, so that "she" means it where nobody else is named.
    """
    if not text.strip():
        return ""
    parsed = parse([text])[0]
    third = find_own_pronouns(parsed, name) if is_of_agent else {}
    edits = [edit for place in range(len(parsed.words)) for edit in find_edits(parsed, place, name, third)]
    return apply_edits(text, edits).strip()


def find_edits(parsed: Parsed, place: int, name: str, third: Mapping[int, str]) -> Iterator[Edit]:
    """`third`: pronouns of the third person that mean the agent, with what takes their place."""
    word = parsed.words[place]
    if place in third:
        own = third[place]
        yield Edit(word.start, word.end, own.capitalize() if word.text[:1].isupper() else own)
        if own == "I":
            yield from agree(parsed, place, FORMS_OF_NAME, third_person=True)
    elif word.lower in OWN:
        own = OWN[word.lower]
        yield Edit(word.start, word.end, own.capitalize() if word.text[:1].isupper() else own)
    elif word.lower == "you":
        is_subject = word.dep in SUBJECTS
        yield Edit(word.start, word.end, "I" if is_subject else "me")
        if is_subject:
            yield from agree(parsed, place, FORMS_OF_YOU)
    elif is_agent(parsed, place, name):
        yield from speak_for(parsed, place)


def find_own_pronouns(parsed: Parsed, name: str) -> dict[int, str]:
    """Those of one gender, where nobody else is spoken of or to."""
    words = [word.lower for word in parsed.words]
    others = any(
        one.label == "PERSON" and not is_called(parsed.text[one.start : one.end], name) for one in parsed.names
    )
    used = [pronouns for pronouns in THIRD if any(word in pronouns for word in words)]
    if others or len(used) != 1 or not PEOPLE.isdisjoint(words):
        return {}
    (pronouns,) = used
    return {place: read_role(parsed, place, pronouns) for place, word in enumerate(words) if word in pronouns}


def read_role(parsed: Parsed, place: int, pronouns: Mapping[str, str]) -> str:
    """For "her" may be "my" or "me"."""
    word = parsed.words[place]
    if word.lower == "her":
        return "my" if word.dep == "poss" else "me"
    return pronouns[word.lower]


def is_called(text: str, name: str) -> bool:
    return bool(name) and text.casefold().removesuffix("'s") == name.casefold()


def is_agent(parsed: Parsed, place: int, name: str) -> bool:
    """The agent's name, or "the assistant", as the subject or owner in a sentence."""
    word = parsed.words[place]
    before = parsed.words[place - 1].lower if place else ""
    called = bool(name) and word.text.casefold() == name.casefold()
    return word.dep in (*SUBJECTS, "poss") and (called or (word.lower in ROLES and before in ARTICLES))


def speak_for(parsed: Parsed, place: int) -> Iterator[Edit]:
    word = parsed.words[place]
    start = parsed.words[place - 1].start if word.lower in ROLES else word.start
    opens = start == 0 or parsed.text[:start].rstrip().endswith((".", "!", "?"))
    mark = parsed.child(place, "case")
    if word.dep == "poss" and mark is not None:
        yield Edit(start, parsed.words[mark].end, "My" if opens else "my")
    elif word.dep != "poss":
        yield Edit(start, word.end, "I")
        yield from agree(parsed, place, FORMS_OF_NAME, third_person=True)


def agree(parsed: Parsed, subject: int, forms: dict[str, str], *, third_person: bool = False) -> Iterator[Edit]:
    """The verb of the subject, and those that share it: "You were born in Texas and are happy"."""
    for verb in find_verbs(parsed, parsed.words[subject].head):
        word = parsed.words[verb]
        if word.lower in forms:
            yield from speak(parsed, verb, forms[word.lower])
        elif third_person and word.tag == "VBZ":
            yield Edit(word.start, word.end, drop_ending(word.text))


def speak(parsed: Parsed, verb: int, form: str) -> Iterator[Edit]:
    """Of "am" there is no short denial: "aren't" becomes "am not"."""
    word = parsed.words[verb]
    denial = parsed.words[verb + 1] if verb + 1 < len(parsed.words) else None
    yield Edit(word.start, word.end, form)
    if form == "am" and denial is not None and denial.lower == "n't":
        yield Edit(denial.start, denial.end, " not")


def find_verbs(parsed: Parsed, verb: int) -> Iterator[int]:
    auxiliaries = [at for at in parsed.children.get(verb, ()) if parsed.words[at].dep in AUXILIARIES]
    yield min(auxiliaries, default=verb)
    for joined in parsed.children.get(verb, ()):
        if parsed.words[joined].dep == "conj" and parsed.child(joined, *SUBJECTS) is None:
            yield from find_verbs(parsed, joined)


def drop_ending(verb: str) -> str:
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    return verb[:-2] if verb.endswith(HISSING) else verb.removesuffix("s")
