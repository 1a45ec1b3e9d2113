"""The channels of one or several banks, side by side."""

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from functools import partial

from banks.models import Bank, Corpus
from providers.deadline import Deadline
from providers.embedding.vector import Vector
from retrieval.channels import DECLARED
from retrieval.channels.keyword import RankedWords
from retrieval.channels.lookups import BankQuery, Lookups
from retrieval.channels.semantic import Nearest, find_nearest
from retrieval.channels.words import WordQuery, rank_by_words
from retrieval.errors import NothingSearched
from retrieval.filters.scope import build_scope
from retrieval.plan import Plan
from retrieval.threads import Outcome, attempt, explain_failure, start, wait
from retrieval.types import AT_PRESENT, NO_VECTOR, Channel, Hit, LeftOut, NamedEntity

logger = logging.getLogger(__name__)
Hits = Outcome[list[Hit]]
CHANNELS: Mapping[Channel, Callable[[Lookups], list[Hit]]] = {name: one.search for name, one in DECLARED.items()}
WITH_STATEMENTS = tuple(name for name, one in DECLARED.items() if one.has_statements)


@dataclass(frozen=True)
class BankHits:
    """The hits of one bank by channel, the time of each channel, and the channels that failed."""

    bank: Bank
    hits: Mapping[Channel, list[Hit]]
    seconds: Mapping[Channel, float] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()
    entities: tuple[NamedEntity, ...] = ()


def start_words(banks: Sequence[Bank], plan: Plan, executor: Executor) -> "list[Future[Outcome[RankedWords]]]":
    """The look-up by words needs no vector, so it runs while the query is embedded."""
    moment = plan.moment
    query = WordQuery(
        plan.analysis.lexemes,
        plan.by_words(),
        build_scope(plan.query.filters, moment),
        is_restricted=plan.hides_texts,
        with_retired=moment != AT_PRESENT,
        within_seconds=plan.limits.seconds,
        known_at=moment.known_at,
    )
    return [start(executor, partial(attempt, partial(rank_by_words, bank, query))) for bank in banks]


def search_banks(
    banks: Sequence[Bank],
    plan: Plan,
    words: "Sequence[Future[Outcome[RankedWords]]]",
    executor: Executor,
    *,
    vectors: Mapping[str, Vector],
    deadline: Deadline,
) -> list[BankHits]:
    """All banks' statements start before the first is waited for. `vectors` are those of the query, by model; a bank of
    another model is searched by words alone.
    """
    started = []
    for bank, own in zip(banks, words, strict=True):
        vector = vectors.get(bank.embedding_model, NO_VECTOR)
        started.append(start_lookups(bank, plan, own, executor, vector=vector, deadline=deadline))
    running = [start_channels(lookups, plan.channels, executor) for lookups in started]
    found = [gather(lookups, plan.channels, futures) for lookups, futures in zip(started, running, strict=True)]
    if found and not any(one.hits for one in found):
        raise NothingSearched
    return found


def start_lookups(
    bank: Bank,
    plan: Plan,
    words: "Future[Outcome[RankedWords]]",
    executor: Executor,
    *,
    vector: Vector,
    deadline: Deadline,
) -> Lookups:
    scope = build_scope(plan.query.filters, plan.moment)
    find = partial(find_nearest, bank, vector, scope, within_seconds=plan.limits.seconds)
    nearest: dict[Corpus, Future[Outcome[Nearest]]] = {}
    for part in split_nearest(plan):
        started = start(executor, partial(attempt, partial(find, limits=part)))
        nearest |= dict.fromkeys(part, started)
    archive = tuple(one for one in plan.limits.sources if one in {*nearest, *plan.by_words()})
    return Lookups(BankQuery(bank, plan.analysis, vector, scope, plan.limits, archive, deadline), nearest, words)


def split_nearest(plan: Plan) -> list[dict[Corpus, int]]:
    """Units and archive in two statements, or in one if the window takes a statement."""
    every = plan.by_meaning()
    if plan.reads_window:
        return [every] if every else []
    parts: list[dict[Corpus, int]] = [{}, {}]
    for corpus, most in every.items():
        parts[corpus != Corpus.UNIT][corpus] = most
    return [part for part in parts if part]


def start_channels(lookups: Lookups, channels: Sequence[Channel], executor: Executor) -> "dict[Channel, Future[Hits]]":
    """Starts the channels that have statements of their own."""
    wanted = [channel for channel in WITH_STATEMENTS if channel in channels]
    return {channel: start(executor, partial(attempt, partial(CHANNELS[channel], lookups))) for channel in wanted}


def gather(lookups: Lookups, channels: Sequence[Channel], running: "Mapping[Channel, Future[Hits]]") -> BankHits:
    outcomes: dict[Channel, Hits] = {}
    for channel in sorted(channels, key=lambda channel: channel in WITH_STATEMENTS):
        if channel in running:
            outcomes[channel] = wait(running[channel], seconds=lookups.query.deadline.left())
        else:
            outcomes[channel] = attempt(partial(CHANNELS[channel], lookups))
    resolved = attempt(lookups.resolved).value
    return BankHits(
        lookups.query.bank,
        {channel: outcome.get() for channel, outcome in outcomes.items() if outcome.error is None},
        {channel: outcome.seconds for channel, outcome in outcomes.items()},
        tuple(leave_out(channel, one.error) for channel, one in outcomes.items() if one.error is not None),
        resolved.entities if resolved else (),
    )


def leave_out(channel: Channel, error: Exception) -> LeftOut:
    logger.warning("The %s channel was left out.", channel.value, exc_info=error)
    return LeftOut(channel, explain_failure(error))
