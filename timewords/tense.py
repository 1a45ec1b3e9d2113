"""The direction of an ambiguous time, read from the wording around it.

"On Friday" is the last Friday beside a past verb and the next one beside a present or future verb. The wording also
separates single dates from habits ("we always meet on Friday"), yearly dates ("my birthday is on May 20") and durations
("I drove there in two hours").
"""

import re
from bisect import bisect_right
from dataclasses import dataclass

from timewords.english.verbs import ENGLISH_VERBS, Tense
from timewords.expressions import Direction
from timewords.languages import list_languages
from timewords.languages.german_verbs import GERMAN_VERBS, is_german

# A full stop after "8 p.m.", "Dr." and "am 20." ends no sentence.
_SENTENCE_END = re.compile(r"(?:[!?\n;]|(?<![ap]\.m)(?<!\b[dm]r)(?<!\bmrs)(?<!\b\d)(?<!\b\d\d)\.)(?=\s|$)")
_SUBJECT = "i|you|we|they|he|she|it|there|my|our|your|his|her|their|the|ich|du|wir|er|sie|es|ihr|der|die|das|mein|unser"
_CLAUSE_START = re.compile(
    r"[,:]\s|\b(?:and|but|because|aber|weil|dass)\b"
    rf"|\b(?:that|what|where|when|why|how|if|whether|und|was|wo)(?= (?:{_SUBJECT})\b)"
)
_ENGLISH = re.compile(r"\b(?:the|you|your|our|what|who|when|where|which|she|they|with|and)\b")
_SINCE = ("since ", "seit ")
_UNTIL = ("until ", "till ", "up until ")
# A quantity before a length makes a rate: "10k in 58 minutes", "300 pages in two days".
_QUANTITY = re.compile(
    r"\d ?(?:k|km|kms|kilometers?|kilometres?|m|meters?|metres?|miles?|laps?|pages?|words?|kilos?|kgs?|pounds?|lbs?) $"
)
_NEAR = 60  # characters beside a time that are looked at
_IN_CLAUSE = 120  # characters beside a length in which its verb stands

_ATE = "ate "  # Portuguese for "until"; in English a past verb
_COUNTED_UNTIL = (*_UNTIL, "before ", "bis ", "jusqu'", "hasta ", "fino ", "a ", _ATE, "tot ")
# A named group is a word for "to" that is no part of the time, unlike the words of _COUNTED_UNTIL.
_COUNTDOWN = re.compile(
    r"\bhow (?:long|much (?:longer|time)|many (?:more )?(?:days|weeks|months|nights|sleeps|hours))"
    r"(?: (?:is it|is there|are there|is left|are left|left|remain|to go|do i have|do we have|more|still))*"
    r"(?P<english> to)? $"
    r"|\bwie (?:lange|viele (?:tage|wochen|monate|nachte))(?: (?:noch|sind es|ist es|dauert es|bleiben))* $"
    r"|\bcombien de (?:jours|semaines|mois|temps)(?: (?:reste-t-il|il reste|y a-t-il|encore))* $"
    r"|\bcuant[oa]s (?:dias|semanas|meses)(?: (?:faltan|quedan|hay))*(?P<spanish> para(?: la| el)?)? $"
    r"|\bquant[ie] (?:giorni|settimane|mesi)(?: (?:mancano|restano|ci sono))*(?P<italian> a)? $"
    r"|\bquant[oa]s (?:dias|semanas|meses)(?: (?:faltam|restam|ha))*(?P<portuguese> para)? $"
    r"|\bhoe(?: lang|veel (?:dagen|weken|maanden))(?: (?:nog|zijn er|is het|duurt het))* $"
)


@dataclass(frozen=True, slots=True)
class Wording:
    """The facts about a time that its surroundings show.

    - `has_verb`: a verb decided the direction.
    - `is_habit`, `is_yearly`: the time recurs.
    - `is_duration`: "in two hours" says how long something took.
    - `is_countdown`: a question counts the days to it ("how many days until Friday").
    """

    direction: Direction = "past"
    has_verb: bool = False
    is_habit: bool = False
    is_yearly: bool = False
    is_duration: bool = False
    is_countdown: bool = False


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause without a verb takes the tense of its sentence: "on Friday, with Ann, we went out"."""

    start: int
    text: str
    tense: Tense | None
    has_verb: bool
    is_habit: bool


class _Sentence:
    """Reads a clause when a time in it is looked at, and each clause once."""

    def __init__(self, start: int, text: str) -> None:
        self.start = start
        self.text = text
        self.verbs = GERMAN_VERBS if is_german(text) else ENGLISH_VERBS
        self.knows_present = self.verbs is GERMAN_VERBS or _is_english(text)
        self.clause_starts = [0, *(match.start() for match in _CLAUSE_START.finditer(text))]
        self.clauses: dict[int, _Clause] = {}
        self.tense = self._read_tense(text)

    def clause_at(self, position: int) -> _Clause:
        number = bisect_right(self.clause_starts, position - self.start)
        if number not in self.clauses:
            start = self.clause_starts[number - 1]
            text = self.text[start : self.clause_starts[number] if number < len(self.clause_starts) else None]
            tense = self._read_tense(text)
            is_habit = self.verbs.habit.search(text) is not None
            self.clauses[number] = _Clause(start, text, tense or self.tense, tense is not None, is_habit)
        return self.clauses[number]

    def is_past_duration(self, start: int, end: int) -> bool:
        """Whether a length at this place belongs to a past verb: "I drove there in two hours"."""
        clause = self.clause_at(start)
        if clause.tense != "past" or not clause.has_verb:
            return False
        first, last = (max(0, place - self.start - clause.start) for place in (start, end))
        before, after = clause.text[max(0, first - _IN_CLAUSE) : first], clause.text[last : last + _IN_CLAUSE]
        return not self.verbs.counts_ahead(before, after)

    def _read_tense(self, text: str) -> Tense | None:
        tense = self.verbs.read_tense(text)
        return tense if tense != "present" or self.knows_present else None


def _is_english(sentence: str) -> bool:
    """English has a word that the other languages lack, or no time word of theirs."""
    return _ENGLISH.search(sentence) is not None or not list_languages(sentence)


class TenseReader:
    """Reads the wording around the times of one folded text."""

    def __init__(self, text: str, *, is_question: bool) -> None:
        self.text = text
        self.is_question = is_question
        self.ends = [*(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]
        self.sentences: dict[int, _Sentence] = {}

    def read(self, start: int, end: int) -> Wording:
        sentence = self._sentence_at(start)
        clause, verbs = sentence.clause_at(start), sentence.verbs
        before, after = self.text[max(0, start - _NEAR) : start], self.text[end : end + _NEAR]
        if self._is_countdown(start, is_past=clause.tense == "past"):
            return Wording("future", has_verb=True, is_countdown=True)
        is_over = verbs.looks_back.search(before) is not None or self.text.startswith(_SINCE, start)
        tense = self._correct_tense(clause.tense, sentence, start, after, is_over=is_over)
        is_each = verbs.each_before.search(before) is not None or verbs.each_after.match(after) is not None
        is_rate = _QUANTITY.search(before) is not None
        if tense in ("past", "future"):
            is_duration = is_rate or sentence.is_past_duration(start, end)
            return Wording(tense, has_verb=True, is_habit=is_each, is_duration=is_duration)
        is_ahead = tense == "present" and not verbs.is_from.search(before)
        return Wording(
            "future" if is_ahead else self._default_direction(is_over=is_over),
            has_verb=tense is not None,
            is_habit=is_each or clause.is_habit,
            is_yearly=verbs.yearly_before.search(before) is not None or verbs.yearly_after.match(after) is not None,
            is_duration=is_rate,
        )

    def sentence_number(self, position: int) -> int:
        return bisect_right(self.ends, position)

    def _default_direction(self, *, is_over: bool) -> Direction:
        """Without a verb, a question asks about the past, and a statement means the nearest time."""
        return "past" if is_over or self.is_question else "nearest"

    def _correct_tense(
        self, tense: Tense | None, sentence: _Sentence, start: int, after: str, *, is_over: bool
    ) -> Tense | None:
        """Words that outweigh the verb: "photos from August", "since Friday", "was moved to May 20"."""
        if tense == "present" and is_over:
            tense = "past"
        until = next((word for word in _UNTIL if self.text.startswith(word, start)), "")
        lead = self.text[max(0, start - _IN_CLAUSE) : start] + until
        is_ahead = sentence.verbs.looks_ahead(lead, after) or (tense is None and self._lasts_until(start, sentence))
        return "future" if is_ahead else tense

    def _lasts_until(self, start: int, sentence: _Sentence) -> bool:
        """Beside an unknown verb, "until March" is ahead: "I rent the room until March".

        A query of a few words asks about the past: "notes until March".
        """
        asks = "?" in sentence.text
        if self.text.startswith("bis ", start):
            return asks
        is_english = sentence.verbs is ENGLISH_VERBS and self.text.startswith(_UNTIL, start)
        return is_english and (asks or not self.is_question)

    def _is_countdown(self, start: int, *, is_past: bool) -> bool:
        """Whether the words before a time count the days to it. Beside a past verb they count a length."""
        if is_past and not self.text.startswith(_ATE, start):
            return False
        found = _COUNTDOWN.search(self.text[max(0, start - _NEAR) : start])
        return found is not None and (found.lastgroup is not None or self.text.startswith(_COUNTED_UNTIL, start))

    def _sentence_at(self, position: int) -> _Sentence:
        number = self.sentence_number(position)
        if number not in self.sentences:
            start = self.ends[number - 1] if number else 0
            end = self.ends[number] if number < len(self.ends) else len(self.text)
            self.sentences[number] = _Sentence(start, self.text[start:end])
        return self.sentences[number]
