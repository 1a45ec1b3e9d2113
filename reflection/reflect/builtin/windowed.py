"""Questions about a time: "What did I do in July?", "Where did I live in April 2026?"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from banks.dates import TimeWindow, find_window
from banks.dates.fold import fold
from banks.words import Network
from reflection.reflect.builtin.asker import Asker
from reflection.reflect.builtin.others_doings import is_of_another
from reflection.reflect.builtin.own_times import date_piece
from reflection.reflect.builtin.pieces import SHORT, Piece, cut_statements
from reflection.reflect.builtin.repeats import leave_out_repeats
from reflection.reflect.dates import get_happened_at
from reflection.reflect.types import Labelled
from retrieval.query.past_states import BASE, SUBJECT, asks_for_past_state
from retrieval.query.question_type import find_type
from retrieval.types import Candidate, QuestionType

MOST_TOLD = 5
BEFORE_TIME = re.compile(r"(?:(?:^|\s+)(?:back|in|on|at|during|over|for|of|from|the|around))+\s*$", re.IGNORECASE)
# What asks for nothing but what there was at the time.
FOR_ANYTHING = re.compile(
    r"^\W*(?:(?:and )?what (?:else )?(?:did|have|had|was|were|am|are|will|do) (?:i|we)"
    r" (?:all )?(?:do|done|doing|(?:get |been |be )?up to|experience)"
    r"|what (?:has |else )?happened(?: to me)?|what was going on|what(?: is|['\u2019]s) (?:on|planned|coming up))\W*$",
    re.IGNORECASE,
)
FOR_JOURNEYS = re.compile(
    r"^\W*(?:where|(?:to )?(?:which|what) (?:place|country|city|cities|countries)\w*)"
    r" (?:did|have|had|was|were|am|are|will|do) (?:i|we)\b.*"
    r"\b(?:go|going|gone|been|travel\w*|holidays?|vacations?|trips?)\W*$",
    re.IGNORECASE,
)
JOURNEY = re.compile(
    r"\b(?:flights?|flew|fl(?:y|ying)|trips?|travel\w*|holidays?|vacations?|visit(?:ed|ing|s)?|stayed|hotel|cruise"
    r"|(?:went|going|goes|been|drove|moved) to|hik(?:ed|ing)|camp(?:ed|ing))\b",
    re.IGNORECASE,
)
# A state of a time to come: "Where will I live next year?"
WILL_LAST = re.compile(rf"\b(?:will|won['\u2019]t)\s+{SUBJECT}(?:{BASE})\b", re.IGNORECASE)


@dataclass(frozen=True)
class Windowed:
    """`question` is without the words that tell the time."""

    question: str
    window: TimeWindow
    asked_at: datetime

    @property
    def is_of_state(self) -> bool:
        return asks_for_past_state(fold(self.question).text) or self.is_of_coming_state

    @property
    def is_of_coming_state(self) -> bool:
        is_ahead = self.window.start is not None and self.window.start > self.asked_at
        return is_ahead and WILL_LAST.search(self.question) is not None

    def list_told(self, memories: Sequence[Labelled], asker: Asker) -> list[Piece]:
        """All of that time, in its order, where nothing or only journeys are asked for."""
        is_for_anything = FOR_ANYTHING.match(self.question) is not None
        if not is_for_anything and not FOR_JOURNEYS.match(self.question):
            return []
        facts = [memory for memory in memories if memory.item.candidate.network is Network.WORLD]
        told = [piece for memory in facts for piece in self._cut(memory) if not is_of_another(asker, piece)]
        wanted = [piece for piece in told if is_for_anything or JOURNEY.search(piece.text)]
        first = leave_out_repeats(sorted(wanted, key=self._is_undated)[:MOST_TOLD])
        return sorted(first, key=lambda piece: get_happened_at(self._date(piece)))

    def is_of_then(self, memory: Labelled) -> bool:
        """Whether it is so at the time, or happens then. What nobody told until later may have begun later. Of what is
        announced the day is when it begins to be so.
        """
        candidate = memory.item.candidate
        begins_ahead = candidate.valid_from is not None and candidate.valid_from > self.asked_at
        is_announced = self.is_of_coming_state and begins_ahead
        if not self.is_of_state or (candidate.occurred_start and not is_announced):
            return self._holds(Piece(memory, memory.item.text))
        begun, over = candidate.valid_from or candidate.mentioned_at, candidate.valid_until
        start, end = self.window.start, self.window.end
        return (end is None or begun < end) and (over is None or start is None or over > start)

    def _cut(self, memory: Labelled) -> Iterator[Piece]:
        """A short memory of that time whole, of others the sentences that are of it."""
        whole = Piece(memory, memory.item.text.strip())
        if len(whole.text) <= SHORT and self._holds(whole):
            yield whole
        else:
            yield from filter(self._holds, cut_statements(memory, whole.text))

    def _date(self, piece: Piece) -> Candidate:
        return date_piece(piece, self.asked_at.tzinfo)

    def _is_undated(self, piece: Piece) -> bool:
        return self._date(piece).occurred_start is None

    def _holds(self, piece: Piece) -> bool:
        """By when it happened; by when it was told where that is not known."""
        dated = self._date(piece)
        first = get_happened_at(dated)
        last = dated.occurred_end if dated.occurred_start and dated.occurred_end else first
        start, end = self.window.start, self.window.end
        return (end is None or first < end) and (start is None or last > start or first == start)


def read_windowed(question: str, asked_at: datetime) -> Windowed | None:
    """None where no time is named, or a time is what is asked for."""
    window = find_window(question, asked_at=asked_at)
    if window is None or find_type(question, has_window=False) is QuestionType.TEMPORAL:
        return None
    start, end = window.span
    bare = f"{BEFORE_TIME.sub('', question[:start].rstrip())} {question[end:].strip()}".strip()
    return Windowed(bare.lstrip(", ").replace(" ?", "?"), window, asked_at)
