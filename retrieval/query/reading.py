"""From the words of a query to what they say about it, before anything is searched."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from banks.dates import TimeWindow, find_window, has_time_word
from banks.dates.types import END_OF_TIME
from providers.embedding.vector import Vector
from providers.llm.protocol import LLM
from providers.usage import Usage
from retrieval.query.asked_window import AskedWindow, ask_window
from retrieval.query.cleaning import clean_query
from retrieval.query.errors import BackwardWindow
from retrieval.query.expansion import write_time_out
from retrieval.query.history import wants_history
from retrieval.query.kin import Kin, find_kin
from retrieval.query.language import find_language
from retrieval.query.names import list_name_candidates
from retrieval.query.question_type import find_type
from retrieval.query.whole_time import asks_for_whole_time
from retrieval.types import Analysis, QuestionType, RecallQuery

DAY = timedelta(days=1)
GivenWindow = tuple[datetime | None, datetime | None]


@dataclass(frozen=True)
class Reading:
    """`text` is the query as it is searched: on one line, shortened where it is very long.

    `is_of_whole_time`: all of the window is asked for, and nothing by which one memory of it would fit better.
    `names` are what could be names of entities, normalised; `kin` is somebody who is named by whose he is. `usage` is
    what the LLM spent, where one was asked.
    """

    text: str
    search_text: str
    type: QuestionType
    language: str
    window: TimeWindow | None
    is_of_whole_time: bool
    wants_history: bool
    names: tuple[str, ...]
    kin: Kin | None
    usage: Usage

    def complete(self, *, lexemes: tuple[str, ...], entity_ids: tuple[UUID, ...], vector: Vector) -> Analysis:
        return Analysis(
            search_text=self.search_text,
            type=self.type,
            language=self.language,
            window=self.window,
            lexemes=lexemes,
            entity_ids=entity_ids,
            wants_history=self.wants_history,
            vector=vector,
        )


def read_query(query: RecallQuery, *, llm: LLM | None = None) -> Reading:
    """Raises QueryWithoutWords and BackwardWindow, and nothing else whatever the text is."""
    text = clean_query(query.text)
    asked = find_asked_window(text, query, llm)
    kind = find_type(text, has_window=asked.window is not None)
    return Reading(
        text=text,
        search_text=write_time_out(text, asked.window),
        type=kind,
        language=find_language(text, time_languages=asked.window.languages if asked.window else ()),
        window=asked.window,
        is_of_whole_time=is_of_whole_time(text, asked),
        wants_history=wants_history(text, asked.window, asked_at=query.asked_at),
        names=list_name_candidates(text),
        kin=find_kin(text),
        usage=asked.usage,
    )


def is_of_whole_time(text: str, asked: AskedWindow) -> bool:
    return asked.window is not None and not asked.usage.calls and asks_for_whole_time(text, asked.window)


def find_asked_window(text: str, query: RecallQuery, llm: LLM | None) -> AskedWindow:
    """The caller's own window, else what the rules find, else what an LLM makes of a time word."""
    if query.window is not None:
        return AskedWindow(build_window(query.window), Usage())
    found = find_window(text, asked_at=query.asked_at)
    if found is None and llm is not None and has_time_word(text):
        return ask_window(llm, text, asked_at=query.asked_at)
    return AskedWindow(found, Usage())


def build_window(given: GivenWindow) -> TimeWindow | None:
    """A moment is the day that begins with it: a window has a length."""
    start, end = given
    if start is None and end is None:
        return None
    if start and end and end < start:
        raise BackwardWindow
    if start and start == end:
        end = start + min(DAY, END_OF_TIME - start.replace(tzinfo=None))
    return TimeWindow(start, end, "range", (0, 0), "")
