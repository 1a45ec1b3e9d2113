"""The words of a query as they are looked for in a long text: in any form, without splitting the text into words."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile

import Stemmer

from banks.dates.english.numbers import ORDINAL_VALUES
from banks.dates.fold import fold_word
from retrieval.query.language import find_language
from retrieval.query.stop_words import ALL_STOP_WORDS

STEMMERS: Mapping[str, str] = {
    "en": "english",
    "de": "german",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
    "nl": "dutch",
    "pt": "portuguese",
    "ru": "russian",
}
ROUGH = 6  # letters by which words are forms of one that the stemmer does not know, and compounds with it
SHORT = 3  # a word this short is no beginning of others: "art" is not "article"
LEAST = 2  # letters that are looked for: "using" and "use" have no more in common
MOST_WORDS = 32
WORD = re.compile(r"[^\W_]+")
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th|e|er|eme|º|ª)")
ITEM_END = re.compile(r"[.)](?!\S)")
# Each is replaced where it occurs, which takes a hundredth of the time that str.translate takes.
UNACCENTED = {
    letter: plain
    for letter in map(chr, range(0xE0, 0x100))
    if (plain := unicodedata.normalize("NFD", letter)[0]).isascii() and plain.isalpha()
}


@dataclass(frozen=True, slots=True)
class AskedWord:
    """`begin` is what all its forms begin with, `rough` the beginning that makes any word one of them."""

    stem: str
    begin: str
    rough: str


@dataclass(frozen=True, slots=True)
class AskedItem:
    """The number of a list's item that is asked for in a word: the eleventh stands at "11."."""

    stem: str


@dataclass(frozen=True, slots=True)
class Found:
    """A word of the query's in the text."""

    start: int
    end: int
    stem: str


class AskedWords:
    """Made once for a query, and of one thread: a stemmer is not safe to share."""

    def __init__(self, query: str) -> None:
        language = STEMMERS.get(find_language(query))
        stemmer = Stemmer.Stemmer(language) if language else None
        self._stem: Callable[[str], str] = stemmer.stemWord if stemmer else str
        self._stemmed: dict[str, str] = {}  # the same few words begin so again and again
        self._words = list(dict.fromkeys(self._list_words(query.lower())))[:MOST_WORDS]

    def find(self, text: str) -> list[Found]:
        """In the order of the text."""
        lowered = lower_in_place(text)
        folded = unaccent(lowered)
        found = (one for word in self._words for one in self._find_word(word, lowered, folded))
        return sorted(found, key=lambda one: one.start)

    def _list_words(self, lowered: str) -> Iterator[AskedWord | AskedItem]:
        """A single letter is what an apostrophe left."""
        for word in WORD.findall(lowered):
            if fold_word(word) in ALL_STOP_WORDS:
                continue
            if UNSPACED.search(word):
                pairs = [word[start : start + 2] for start in range(len(word) - 1)] or [word]
                yield from (AskedWord(pair, pair, pair) for pair in pairs)
            elif len(word) > 1 or word.isdigit():
                yield self._build_word(word)
            if word in ORDINAL_VALUES:
                yield AskedItem(str(ORDINAL_VALUES[word]))

    def _build_word(self, word: str) -> AskedWord:
        plain, stem = unaccent(word), self._stem_word(word)
        if stem.isdigit():
            return AskedWord(stem, stem, "")
        begin = find_shared_beginning(plain, stem)[:ROUGH]
        return AskedWord(stem, begin if len(begin) >= LEAST else plain[:ROUGH], plain[:ROUGH])

    def _stem_word(self, word: str) -> str:
        stem = self._stemmed.get(word)
        if stem is None:
            ordinal = ORDINAL.fullmatch(unaccent(word))
            stem = self._stemmed[word] = ordinal[1] if ordinal else unaccent(self._stem(word))
        return stem

    def _find_word(self, word: AskedWord | AskedItem, lowered: str, folded: str) -> Iterator[Found]:
        if isinstance(word, AskedItem):
            places = (at for at in find_places(folded, word.stem) if ITEM_END.match(folded, at + len(word.stem)))
            return (Found(at, at + len(word.stem), word.stem) for at in places)
        if UNSPACED.search(word.begin):
            return (Found(at, at + len(word.begin), word.stem) for at in find_places(folded, word.begin, inside=True))
        return (
            Found(at, at + len(word.begin), word.stem)
            for at in find_places(folded, word.begin)
            if begins_roughly(word.rough, folded, at) or self._stem_word(read_word(lowered, at)) == word.stem
        )


def find_shared_beginning(word: str, stem: str) -> str:
    """Of all forms of the word: the "i" that a stem ends with is the "y" of others, parties and party."""
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, stem, strict=False)))
    return word[:shared].removesuffix("i")


def read_word(text: str, at: int) -> str:
    word = WORD.match(text, at)
    return word[0] if word else ""


def begins_roughly(rough: str, folded: str, at: int) -> bool:
    if not rough or not folded.startswith(rough, at):
        return False
    end = at + len(rough)
    return len(rough) > SHORT or not folded[end : end + 1].isalnum()


def find_places(folded: str, begin: str, *, inside: bool = False) -> Iterator[int]:
    """Where words begin so; in scripts that write no spaces also `inside` what looks like one."""
    at = folded.find(begin)
    while at >= 0:
        if inside or not folded[at - 1 : at].isalnum():
            yield at
        at = folded.find(begin, at + len(begin))


def lower_in_place(text: str) -> str:
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    # Some capitals have two small letters, and places must stay.
    return "".join(small if len(small := character.lower()) == 1 else character for character in text)


def unaccent(lowered: str) -> str:
    """Only letters that are one without the accent too: places stay."""
    if lowered.isascii():
        return lowered
    for letter, plain in UNACCENTED.items():
        lowered = lowered.replace(letter, plain)
    return lowered
