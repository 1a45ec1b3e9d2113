"""The channels of one or several banks, side by side, and what came of each."""

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field, replace
from functools import partial

from banks.models import Bank, Corpus
from providers.embedding.vector import Vector
from retrieval.channels import DECLARED
from retrieval.deadline import Deadline
from retrieval.errors import NothingSearched
from retrieval.filters.scope import build_scope
from retrieval.lookups.nearest import Nearest, find_nearest
from retrieval.lookups.shared import Asked, Lookups
from retrieval.lookups.words import AskedWords, RankedWords, rank_by_words
from retrieval.outcome import Outcome, attempt, describe_failure, wait
from retrieval.plan import Plan
from retrieval.query_vectors import NO_VECTOR
from retrieval.threads import start
from retrieval.types import AT_PRESENT, Channel, Hit, LeftOut, NamedEntity

logger = logging.getLogger(__name__)
Hits = Outcome[list[Hit]]
CHANNELS: Mapping[Channel, Callable[[Lookups], list[Hit]]] = {name: one.search for name, one in DECLARED.items()}
READERS = tuple(name for name, one in DECLARED.items() if one.has_statements)


@dataclass(frozen=True)
class Question:
    """`embedding_model` made the query's vector; a bank with vectors of another is searched by its words alone.

    `deadline` is for all banks together.
    """

    plan: Plan
    vector: Vector
    embedding_model: str
    deadline: Deadline


@dataclass(frozen=True)
class Found:
    """What the channels of one bank brought, how long each took, and which failed."""

    bank: Bank
    hits: Mapping[Channel, list[Hit]]
    seconds: Mapping[Channel, float] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()
    entities: tuple[NamedEntity, ...] = ()
    kin: tuple[NamedEntity, ...] = ()


def ask_words(plan: Plan, lexemes: Sequence[str]) -> AskedWords:
    limits = replace(plan, limits=plan.limits.at(plan.moment)).by_words()
    return AskedWords(lexemes, limits, plan.moment != AT_PRESENT, plan.limits.seconds, plan.moment.known_at)


def start_words(banks: Sequence[Bank], asked: AskedWords, executor: Executor) -> "list[Future[Outcome[RankedWords]]]":
    """Before the query is embedded, which takes as long."""
    return [start(executor, partial(attempt, partial(rank_by_words, bank, asked))) for bank in banks]


def search_banks(
    banks: Sequence[Bank], asked: Question, words: "Sequence[Future[Outcome[RankedWords]]]", executor: Executor
) -> list[Found]:
    """All banks' statements are started before the first is waited for."""
    plan = asked.plan
    begun = [begin(bank, asked, own, executor) for bank, own in zip(banks, words, strict=True)]
    started = [start_readers(lookups, plan.channels, executor) for lookups in begun]
    found = [gather(lookups, plan.channels, readers) for lookups, readers in zip(begun, started, strict=True)]
    if found and not any(one.hits for one in found):
        raise NothingSearched
    return found


def begin(bank: Bank, asked: Question, words: "Future[Outcome[RankedWords]]", executor: Executor) -> Lookups:
    plan, limits = asked.plan, asked.plan.limits
    vector = asked.vector if bank.embedding_model == asked.embedding_model else NO_VECTOR
    scope = build_scope(plan.query.filters, plan.moment)
    find = partial(find_nearest, bank, vector, scope, within_seconds=limits.seconds)
    nearest: dict[Corpus, Future[Outcome[Nearest]]] = {}
    for part in part_nearest(plan):
        started = start(executor, partial(attempt, partial(find, limits=part)))
        nearest |= dict.fromkeys(part, started)
    archive = tuple(one for one in limits.sources if one in {*nearest, *plan.by_words()})
    reading = plan.reading
    looked_for = Asked(
        bank,
        vector,
        reading.names,
        reading.kin,
        reading.window,
        reading.is_of_whole_time,
        scope,
        limits,
        archive,
        plan.query.graph_walk,
        asked.deadline,
    )
    return Lookups(looked_for, nearest, words)


def part_nearest(plan: Plan) -> list[dict[Corpus, int]]:
    """The archive beside the units, where the statement that a window would have taken is left."""
    every = plan.by_meaning()
    if plan.reads_window:
        return [every] if every else []
    parts: list[dict[Corpus, int]] = [{}, {}]
    for corpus, most in every.items():
        parts[corpus != Corpus.UNIT][corpus] = most
    return [part for part in parts if part]


def start_readers(lookups: Lookups, channels: Sequence[Channel], executor: Executor) -> "dict[Channel, Future[Hits]]":
    """The graph waits for the nearest units, which were asked for before it."""
    wanted = [channel for channel in READERS if channel in channels]
    return {channel: start(executor, partial(attempt, partial(CHANNELS[channel], lookups))) for channel in wanted}


def gather(lookups: Lookups, channels: Sequence[Channel], readers: "Mapping[Channel, Future[Hits]]") -> Found:
    outcomes: dict[Channel, Hits] = {}
    for channel in sorted(channels, key=lambda channel: channel in READERS):
        if channel in readers:
            outcomes[channel] = wait(readers[channel], seconds=lookups.asked.deadline.left())
        else:
            outcomes[channel] = attempt(partial(CHANNELS[channel], lookups))
    resolved = attempt(lookups.resolved).value
    return Found(
        lookups.asked.bank,
        {channel: outcome.get() for channel, outcome in outcomes.items() if outcome.error is None},
        {channel: outcome.seconds for channel, outcome in outcomes.items()},
        tuple(leave_out(channel, one.error) for channel, one in outcomes.items() if one.error is not None),
        resolved.entities if resolved else (),
        resolved.kin if resolved else (),
    )


def leave_out(channel: Channel, error: Exception) -> LeftOut:
    logger.warning("The %s channel was left out.", channel.value, exc_info=error)
    return LeftOut(channel, describe_failure(error))
