"""What a clause tells that there can be only one of, with its value: two birthplaces exclude each other.

Many verbs have another sense: who lives in fear has a home as well. So a value counts only where its form leaves no
doubt. What is not understood is added, and takes nothing's place.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from banks.english.parsed import Name
from banks.english.parser import parse
from banks.english.word_set import word_set
from reflection.background.attributes import fold_thing
from reflection.background.forms import FORMS, Form
from reflection.background.parts import LONGEST, split_once, split_parts

Values = Mapping[str, frozenset[str]]

NOW = re.compile(r",? (?:now|today|currently|nowadays|these days|again|at the moment)$", re.IGNORECASE)
BY_NOW = re.compile(r"\b(?:now|currently|nowadays|these days)\b", re.IGNORECASE)
# Half of a truth leaves room for the other half.
IN_PART = re.compile(
    r"\b(?:also|too|as well|sometimes|often|occasionally|temporarily|part[- ]time|when|whenever|if|while|during|until|"
    r"weekends?|mornings?|afternoons?|evenings?|nights?|summers?|winters?|half (?:of )?the|part of the|\w+days|"
    r"(?:in|every) (?:the )?(?:spring|autumn|fall)|on the side)\b",
    re.IGNORECASE,
)
ARTICLES = ("a ", "an ", "the ")
KIND_OF_PLACE = re.compile(r"(?:the )?(?:city|town|village|state|county|province)(?: of)? ", re.IGNORECASE)
WORD = re.compile(r"\w+")
UNWEIGHTY = word_set("a an the of in to")
# "Works as a machine learning engineer" says more than "works in tech", and takes its place.
REFINES = {"profession": ("field",)}


@dataclass(frozen=True)
class Told:
    """A form as a part of a clause has it."""

    form: Form
    found: re.Match[str]

    @property
    def sentence(self) -> str:
        return f"{self.found.string}."

    @property
    def attribute(self) -> str:
        thing = self.found.groupdict().get("thing")
        return f"{self.form.attribute} {fold_thing(thing)}" if thing else self.form.attribute

    @property
    def words(self) -> frozenset[str]:
        return read_words(self.found["value"])

    def is_labelled(self, names: Sequence[Name]) -> bool:
        """Whether the parser takes the name at its beginning, after an article, for what the form asks for."""
        start = self.found.start("value")
        label = next((one.label for one in names if start <= one.start <= start + len("the ")), "")
        return not self.form.labels or label in self.form.labels


def read_values(clauses: Iterable[str]) -> dict[str, Values]:
    """Of clauses in the first person: by part, the words of each value by its attribute.

    All that the parser is asked about it gets at once: one by one takes five times as long.
    """
    parts = dict.fromkeys(part for clause in clauses for part in split_parts(clause))
    read = {part: list(find_told(part)) for part in parts}
    asked = list(dict.fromkeys(one.sentence for told in read.values() for one in told if one.form.labels))
    names = {sentence: parsed.names for sentence, parsed in zip(asked, parse(asked), strict=True)} if asked else {}
    return {
        part: {one.attribute: one.words for one in told if one.is_labelled(names.get(one.sentence, ()))}
        for part, told in read.items()
    }


def find_told(part: str) -> Iterator[Told]:
    if len(part) > LONGEST or IN_PART.search(part):
        return
    bare, is_by_now = NOW.sub("", part), BY_NOW.search(part) is not None
    for form in FORMS:
        found = form.pattern.search(bare) if is_by_now or not form.needs_now else None
        if found and (not form.is_named or is_named(form, found["value"])):
            yield Told(form, found)


def is_named(form: Form, value: str) -> bool:
    return (form.takes_article and value.lower().startswith(ARTICLES)) or is_name(value)


def is_name(value: str) -> bool:
    """Also of a script without capitals, and in "the city of Rome" or "town 7"."""
    kind = KIND_OF_PLACE.match(value)
    bare = value[kind.end() :] if kind else value[len("the ") :] if value.lower().startswith("the ") else value
    return (bare[:1].isalpha() and not bare[:1].islower()) or (kind is not None and bare[:1].isdigit())


def read_words(value: str) -> frozenset[str]:
    return frozenset(word for word in WORD.findall(value.casefold()) if word not in UNWEIGHTY)


def displaces(newer: Values, older: Values) -> bool:
    """Whether what is newly said takes the place of what was said before: not where that says the same and more."""
    names = {*newer, *(name for one in newer for name in REFINES.get(one, ()))} & older.keys()
    return any(name not in newer or not newer[name] <= older[name] for name in names)


def keep_parts(clause: str, newer: Collection[Values], older: Mapping[str, Values]) -> list[str]:
    """What is left of a clause: of "I was born in Ohio in 1985" the year, where another place is told.

    `older` has the values of its parts.
    """
    parts = split_once(clause)
    if len(parts) == 1:
        return [] if any(displaces(one, older[parts[0]]) for one in newer) else [clause]
    kept = [one for part in parts for one in keep_parts(part, newer, older)]
    return [clause] if kept == parts else kept
