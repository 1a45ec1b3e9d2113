"""Asking one question through the real recall, and scoring its results."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from time import perf_counter

from benchmarks.recall.cases import Asked, Case, SpokenTurn
from benchmarks.recall.metrics import Figures, measure_cover, measure_sessions, measure_turns
from benchmarks.recall.quoting import TurnPlaces, find_covered, list_quotes, rank_turns
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.recall import recall
from retrieval.types import BUDGETS, Channel, QuestionType, RecallQuery, RecallResult

EVERYTHING = 100_000  # tokens, so that the budget does not cut the rank metrics
WINDOW = 4_096


@dataclass(frozen=True)
class Mode:
    """The settings of a recall: a budget, with its time box or without, and the disabled channels."""

    name: str
    budget: str = "mid"
    without: frozenset[Channel] = frozenset()
    rerank: bool = True
    has_time_box: bool = False


@dataclass(frozen=True)
class Answered:
    """`asked_as` is the query type that recall detected.

    `tokens` has the evidence inside a filled window, `relevant` that inside the same window with relevant results only.
    Both have their average size in tokens.
    """

    question: Asked
    asked_as: QuestionType
    turn: Figures
    session: Figures
    tokens: Figures
    relevant: Figures
    audited: Figures
    milliseconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Results:
    """Of the same question: everything that was found, the filled window, and the relevant results of the window."""

    everything: RecallResult
    window: RecallResult
    relevant: RecallResult


@dataclass(frozen=True)
class Haystack:
    """A retained case: its bank, and the place of each turn."""

    access: BankAccess
    case: Case
    turn_of: TurnPlaces

    @property
    def turns(self) -> Mapping[str, SpokenTurn]:
        return self.case.by_key


def ask(haystack: Haystack, question: Asked, mode: Mode) -> Answered:
    query = build_query(question, mode)
    started = perf_counter()
    everything = recall(haystack.access, [haystack.case.name], query).result
    seconds = perf_counter() - started
    filled = replace(query, max_tokens=WINDOW)
    window = recall(haystack.access, [haystack.case.name], filled).result
    relevant = recall(haystack.access, [haystack.case.name], replace(filled, fills=False)).result
    return judge(haystack, question, Results(everything, window, relevant), seconds)


def build_query(question: Asked, mode: Mode) -> RecallQuery:
    return RecallQuery(
        text=question.text,
        asked_at=question.asked_at,
        max_tokens=EVERYTHING,
        budget=BUDGETS[mode.budget] if mode.has_time_box else replace(BUDGETS[mode.budget], rerank_seconds=None),
        channel_weights=dict.fromkeys(mode.without, 0.0),
        rerank=mode.rerank,
        fills=True,
    )


def judge(haystack: Haystack, question: Asked, results: Results, seconds: float) -> Answered:
    turns, everything = haystack.turns, results.everything
    ranked = rank_turns(list_quotes(everything.items, haystack.turn_of))
    sessions = list(dict.fromkeys(turns[key].session for key in ranked))
    wanted = frozenset(key for key in question.evidence if key in turns)
    audited = frozenset(key for key in question.audited if key in turns) or wanted
    return Answered(
        question,
        everything.analysis.type,
        turn=measure_turns(ranked, wanted),
        session=measure_sessions(sessions, frozenset(turns[key].session for key in wanted)),
        tokens=measure_window(haystack, results.window, wanted),
        relevant=measure_window(haystack, results.relevant, wanted),
        audited=measure_turns(ranked, audited),
        milliseconds={**everything.milliseconds, "total": seconds * 1000},
    )


def measure_window(haystack: Haystack, window: RecallResult, wanted: frozenset[str]) -> Figures:
    quotes = list_quotes(window.items, haystack.turn_of)
    covered = frozenset(find_covered(quotes, [haystack.turns[key] for key in wanted]))
    size = {"tokens": float(window.tokens), "results": float(len(window.items))}
    return measure_cover(covered, wanted) | size
