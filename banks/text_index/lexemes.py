"""The lexemes of a text or query, which are the keys of the index.

After a change here, in `banks.folding` or in the stop words, run `manage.py rebuild_text_index`.
"""

import re
import threading
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

import Stemmer

from banks.folding import fold_case, fold_characters
from banks.text_index.stop_words import STOP_WORDS

LONGEST = 64  # characters; what PostingBlock.lexeme holds
EXACT = "="  # begins the lexeme of a name as it is written

# Python's \w leaves out the marks that Indic scripts write vowels with.
_MARKS = "".join(chr(code) for code in range(0x370, 0x10000) if unicodedata.category(chr(code)) in {"Mn", "Mc"})
_LETTERS = rf"(?:[^\W_]++|[{_MARKS}]++)++"
_TOKEN = re.compile(
    r"(?<!\w)(?P<initials>(?:[^\W\d_]\.){2,}(?:[^\W\d_](?!\w))?)"  # U.S., J.R.R., e.g.
    r"|(?<!\w)(?P<language>[A-Za-z](?:\+\+|\#))(?!\w)"  # C++, C# and C are three things
    r"|(?P<number>\d+(?:[.,:]\d+)+)"
    rf"|(?P<word>{_LETTERS}(?:['-]{_LETTERS})*+)"
    "|(?P<emoji>[\u2600-\u27bf\U0001f1e6-\U0001f1ff\U0001f300-\U0001f3fa\U0001f400-\U0001faff])"  # without skin tones
)
_CUT_OFF = re.compile(r"'(?:s|ll|ve|re|d|m)$", re.IGNORECASE)  # Anna's, she'll
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
# Scripts that write no spaces between words, and Hangul, whose words carry their particles.
_UNSPACED = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]+)"
)
_SENTENCE_END = frozenset(".!?\n\r")
_OPENING = " \t\"'([{*_-\u201c\u00ab\u00bf\u00a1"


class _English(threading.local):
    """A stemmer is not safe to share between threads."""

    def __init__(self) -> None:
        self.stemmer = Stemmer.Stemmer("english")


_english = _English()


def extract_lexemes(text: str) -> list[str]:
    """In the order of the text, with repeats. Texts and queries get the same lexemes."""
    folded = fold_characters(text)
    return [lexeme for match in _TOKEN.finditer(folded) for lexeme in _lexemes_of(match, folded)]


def _lexemes_of(match: re.Match[str], text: str) -> Iterator[str]:
    kind, token = match.lastgroup, match.group()
    if kind == "initials":
        return _lexemes_of_word(token.replace(".", ""), is_name=token.isupper())
    if kind == "language":
        return iter((token.casefold(),))
    if kind == "emoji":
        return iter((token,))
    if kind == "number":
        return _lexemes_of_number(token)
    return _lexemes_of_compound(_CUT_OFF.sub("", token), is_name=_is_written_as_name(match, text))


def _lexemes_of_number(token: str) -> Iterator[str]:
    whole = token.replace(",", "") if _THOUSANDS.fullmatch(token) else token
    return (part[:LONGEST] for part in whole.split(","))


def _lexemes_of_compound(token: str, *, is_name: bool) -> Iterator[str]:
    """The parts of a compound and the whole as one word: mail and email both find e-mail."""
    parts = token.replace("'", "").split("-")
    for part in parts:
        yield from _lexemes_of_word(part, is_name=is_name)
    if len(parts) > 1:
        yield from _lexemes_of_word("".join(parts), is_name=is_name)


def _lexemes_of_word(word: str, *, is_name: bool) -> Iterator[str]:
    if word.isascii():
        return iter(_lexemes_of_spelling(word, is_name))
    return (lexeme for run in _UNSPACED.split(word) for lexeme in _lexemes_of_run(run, is_name=is_name))


def _lexemes_of_run(run: str, *, is_name: bool) -> Iterator[str]:
    if not _UNSPACED.match(run):
        return iter(_lexemes_of_spelling(run, is_name))
    return (run[start : start + 2] for start in range(max(len(run) - 1, 1)))


@lru_cache(maxsize=50_000)
def _lexemes_of_spelling(word: str, is_name: bool) -> tuple[str, ...]:  # noqa: FBT001 - a cache wants plain arguments
    """The stem. A capitalised word that stemming changes also gives the word itself, so that Woods is not only wood.

    A capitalised stop word is a name (Will, the US), except "The".
    """
    folded = fold_case(word)[:LONGEST]
    if not folded:
        return ()
    exact = (EXACT + folded)[:LONGEST]
    if folded in STOP_WORDS:
        return (exact,) if is_name and len(folded) > 1 and folded != "the" else ()
    ordinal = _ORDINAL.fullmatch(folded)
    stem = ordinal[1] if ordinal else _stem(folded)
    return (stem, exact) if word[0].isupper() and stem != folded else (stem,)


def _stem(word: str) -> str:
    if not (word.isascii() and word.isalpha()):
        return word
    stem: str = _english.stemmer.stemWord(word)
    return stem


def _is_written_as_name(match: re.Match[str], text: str) -> bool:
    """Capitalised inside a sentence, or before the colon after a speaker's name."""
    if not match.group()[0].isupper():
        return False
    if text[match.end() : match.end() + 1] == ":":
        return True
    before = match.start()
    while before and text[before - 1] in _OPENING:
        before -= 1
    return before > 0 and text[before - 1] not in _SENTENCE_END
