"""Which way an ambiguous time points, from the wording around it."""

import re
from bisect import bisect_right
from dataclasses import dataclass

from banks.dates.context import Direction
from banks.dates.countdown import is_counted_to
from banks.dates.english.verbs import ENGLISH_VERBS
from banks.dates.languages.choose import list_languages
from banks.dates.languages.german_verbs import GERMAN_VERBS, is_german
from banks.dates.verbs import Tense

# Not behind "8 p.m.", "Dr." and "am 20.", which go on.
_SENTENCE_END = re.compile(r"(?:[!?\n;]|(?<![ap]\.m)(?<!\b[dm]r)(?<!\bmrs)(?<!\b\d)(?<!\b\d\d)\.)(?=\s|$)")
_SUBJECT = "i|you|we|they|he|she|it|there|my|our|your|his|her|their|the|ich|du|wir|er|sie|es|ihr|der|die|das|mein|unser"
_CLAUSE_START = re.compile(
    r"[,:]\s|\b(?:and|but|because|aber|weil|dass)\b"
    rf"|\b(?:that|what|where|when|why|how|if|whether|und|was|wo)(?= (?:{_SUBJECT})\b)"
)
_ENGLISH = re.compile(r"\b(?:the|you|your|our|what|who|when|where|which|she|they|with|and)\b")
_SINCE = ("since ", "seit ")
_UNTIL = ("until ", "till ", "up until ")
_AROUND = 60  # characters beside a time in which the words stand that belong to it
_IN_CLAUSE = 120  # characters beside a length in which its verb stands


@dataclass(frozen=True, slots=True)
class Pointing:
    """`has_verb`: a verb says so, and it is no guess. `is_habit`: the time comes again and again ("we always meet on
    Friday"); `is_of_any_year`: every year. `is_of_deed`: "in two hours" is how long something took that is over.
    `is_counted_to`: it is the next one, and "until" does not reach back from it ("how many days until Friday").
    """

    direction: Direction = "past"
    has_verb: bool = False
    is_habit: bool = False
    is_of_any_year: bool = False
    is_of_deed: bool = False
    is_counted_to: bool = False


@dataclass(frozen=True, slots=True)
class _Clause:
    """`start` is its place in the sentence; `has_tense`: it has a verb of its own."""

    start: int
    text: str
    tense: Tense | None
    has_tense: bool
    is_habit: bool


class _Sentence:
    """Its clauses are read as they are asked for, each once: a long list of dates stays bounded."""

    def __init__(self, opening: int, text: str) -> None:
        self.opening = opening
        self.text = text
        self.verbs = GERMAN_VERBS if is_german(text) else ENGLISH_VERBS
        self.knows_present = self.verbs is GERMAN_VERBS or _is_english(text)
        self.starts = [0, *(match.start() for match in _CLAUSE_START.finditer(text))]
        self.clauses: dict[int, _Clause] = {}
        self.tense = self._read(text)

    def clause_at(self, position: int) -> _Clause:
        number = bisect_right(self.starts, position - self.opening)
        if number not in self.clauses:
            end = self.starts[number] if number < len(self.starts) else None
            self.clauses[number] = self._clause(self.starts[number - 1], end)
        return self.clauses[number]

    def is_of_deed(self, start: int, end: int) -> bool:
        """Whether a length that stands there is told of what is over."""
        clause = self.clause_at(start)
        if clause.tense != "past" or not clause.has_tense:
            return False
        first, last = (max(0, place - self.opening - clause.start) for place in (start, end))
        before, after = clause.text[max(0, first - _IN_CLAUSE) : first], clause.text[last : last + _IN_CLAUSE]
        return not self.verbs.counts_ahead(before, after)

    def _clause(self, start: int, end: int | None) -> _Clause:
        """One without a verb is of the tense of the whole: "on Friday, with Ann, we went out"."""
        text = self.text[start:end]
        tense = self._read(text)
        return _Clause(start, text, tense or self.tense, tense is not None, self.verbs.habit.search(text) is not None)

    def _read(self, text: str) -> Tense | None:
        tense = self.verbs.read_tense(text)
        return tense if tense != "present" or self.knows_present else None


def _is_english(sentence: str) -> bool:
    """A word that others lack, or no time word of theirs: a name may be one."""
    return _ENGLISH.search(sentence) is not None or not list_languages(sentence)


class Tenses:
    """Where the times of a folded text point."""

    def __init__(self, text: str, *, is_question: bool = False) -> None:
        self.text = text
        self.is_question = is_question
        self.ends = [*(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]
        self.sentences: dict[int, _Sentence] = {}

    def at(self, start: int, end: int) -> Pointing:
        """A present beside a day means the next one ("who arrives on Sunday"); where no verb is known, it is past."""
        sentence = self._sentence(bisect_right(self.ends, start))
        clause, verbs = sentence.clause_at(start), sentence.verbs
        tense = clause.tense
        before, after = self.text[max(0, start - _AROUND) : start], self.text[end : end + _AROUND]
        is_each = verbs.each_before.search(before) or verbs.each_after.match(after)
        is_over = verbs.looks_back.search(before) and not verbs.begins.search(before)
        if is_counted_to(self.text, start, is_past=tense == "past"):
            return Pointing("future", has_verb=True, is_counted_to=True)
        if tense == "present" and (is_over or self.text.startswith(_SINCE, start)):
            tense = "past"
        is_ahead = verbs.looks_ahead(self._lead(start), after)
        if is_ahead or (tense is None and self._lasts_until(start, sentence)):
            tense = "future"
        if tense in ("past", "future"):
            is_of_deed = sentence.is_of_deed(start, end)
            return Pointing(tense, has_verb=True, is_habit=bool(is_each), is_of_deed=is_of_deed)
        return Pointing(
            direction="future" if tense == "present" else "past",
            has_verb=tense is not None,
            is_habit=bool(is_each or clause.is_habit),
            is_of_any_year=bool(verbs.yearly_before.search(before) or verbs.yearly_after.match(after)),
        )

    def _lead(self, start: int) -> str:
        """What stands before a time, with the word for "until" that belongs to it."""
        until = next((word for word in _UNTIL if self.text.startswith(word, start)), "")
        return self.text[max(0, start - _IN_CLAUSE) : start] + until

    def _lasts_until(self, start: int, sentence: _Sentence) -> bool:
        """Of verbs that are not known the past is the rarer: "I rent the room until March", "what to do until March?".
        Who searches with a few words, searches for what is over: "notes until March".
        """
        asks = "?" in sentence.text
        if self.text.startswith("bis ", start):
            return asks
        is_english = sentence.verbs is ENGLISH_VERBS and self.text.startswith(_UNTIL, start)
        return is_english and (asks or not self.is_question)

    def _sentence(self, number: int) -> _Sentence:
        if number not in self.sentences:
            opening = self.ends[number - 1] if number else 0
            closing = self.ends[number] if number < len(self.ends) else len(self.text)
            self.sentences[number] = _Sentence(opening, self.text[opening:closing])
        return self.sentences[number]
