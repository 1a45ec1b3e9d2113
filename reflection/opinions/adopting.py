"""Adopting opinions that retain stored: each gets a history, restates a held opinion, or reverses one."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from uuid import UUID

import numpy as np

from banks.enums import Network
from banks.lifecycle.closing_by_hand import Invalidation, invalidate_unit, restore_unit
from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit
from banks.models.unit import UnitQuerySet
from providers.usage import Usage
from reflection.models import RevisionEvidence
from reflection.opinions.claims import LONGEST_TEXT, Refusal, find_refusal
from reflection.opinions.entities import read_entities
from reflection.opinions.evidence import copy_sources
from reflection.opinions.matching import (
    Claim,
    HeldOpinion,
    MatchedWrite,
    OpinionMatcher,
    Relations,
    find_nearest,
)
from reflection.opinions.merging import close_into, merge_opinions
from reflection.opinions.reversals import close_opposed, find_reversed, note_contradiction, revise_opinion
from reflection.opinions.revisions import RETAIN, Author, count_steps, write_formed
from reflection.opinions.rewording import find_with_text
from reflection.opinions.tags import UNTAGGED, read_own_tags, read_tags
from tenants.transactions import tenant_transaction
from timewords.rendering import write_day_of_week

REVERSED = "The agent said the opposite"
REFUSED = {Refusal.EMPTY: "It is empty.", Refusal.TOO_LONG: f"It has more than {LONGEST_TEXT} characters."}
STANDS = "The statement that superseded it is no opinion."


@dataclass(frozen=True)
class RetainedUnits:
    """The units that a retain touched, of any network."""

    new: tuple[UUID, ...]
    confirmed: tuple[UUID, ...] = ()
    superseded: tuple[UUID, ...] = ()


@dataclass(frozen=True)
class Adopted:
    """The number of new opinions, and of units closed for being none, by reason."""

    formed: int = 0
    refused: Mapping[Refusal, int] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)


def adopt_opinions(
    bank: Bank,
    retained: RetainedUnits,
    *,
    matcher: OpinionMatcher | None,
    write: Callable[[], AbstractContextManager[object]],
    now: datetime,
) -> Adopted:
    """Call outside of transactions. A second run changes nothing: only opinions without a history are adopted.

    Without a matcher no model is configured: opinions that a caller stored get a history and stay as they are.
    """
    if not is_concerned(bank, retained):
        return Adopted()
    if matcher is None:
        with write():
            lock_memory(bank)
            begin_histories(bank, retained)
        return Adopted()
    author = Author(bank, RETAIN, now)
    adoption = MatchedWrite(
        survey=partial(survey, bank, retained),
        list_pairs=lambda seen: ((unit.text, [one.compared for one in held]) for unit, held in seen),
        write=lambda _, relations: adopt_statements(author, retained, relations),
        open=write,
    )
    return adoption.run(bank, matcher)


def is_concerned(bank: Bank, retained: RetainedUnits) -> bool:
    with tenant_transaction(bank.tenant_id):
        return find_opinions(bank, (*retained.new, *retained.confirmed, *retained.superseded)).exists()


def find_opinions(bank: Bank, ids: Collection[UUID]) -> UnitQuerySet:
    return MemoryUnit.objects.of_bank(bank).filter(id__in=ids, network=Network.OPINION)


def find_statements(bank: Bank, retained: RetainedUnits) -> list[MemoryUnit]:
    """New opinions of the agent that have no history yet."""
    units = find_opinions(bank, retained.new).current().order_by("recorded_at", "id")
    begun = count_steps(bank, [unit.id for unit in units])
    return [unit for unit in units if unit.id not in begun]


def survey(bank: Bank, retained: RetainedUnits) -> list[tuple[MemoryUnit, list[HeldOpinion]]]:
    """Each new statement with the older held opinions near it."""
    units = find_statements(bank, retained)
    found = find_nearest(bank, build_claims(bank, units))
    return [(unit, [one for one in near if one.id < unit.id]) for unit, near in zip(units, found, strict=True)]


def build_claims(bank: Bank, units: Sequence[MemoryUnit]) -> list[Claim]:
    ids = [unit.id for unit in units]
    about, tags = read_entities(bank, ids), read_tags(bank, ids)
    return [
        Claim(
            unit.text,
            None if unit.vector_in(bank) is None else np.asarray(unit.vector_in(bank), dtype=np.float32),
            about.get(unit.id, frozenset()),
            tags.get(unit.id, UNTAGGED),
            unit.confidence or 0.0,
            (unit.id,),
            f"{REVERSED} on {write_day_of_week(unit.mentioned_at)}.",
            is_statement=True,
            said_at=unit.mentioned_at,
        )
        for unit in units
    ]


def adopt_statements(author: Author, retained: RetainedUnits, relations: Relations) -> Adopted:
    """Call inside a tenant transaction, after `lock_memory`."""
    bank, statements = author.bank, find_statements(author.bank, retained)
    refused = {unit.id: refusal for unit in statements if (refusal := find_refusal(unit.text))}
    for unit in statements:
        if unit.id in refused:
            explanation = REFUSED[refused[unit.id]]
            invalidate_unit(bank, unit, Invalidation("correction", explanation=explanation, actor=RETAIN))
    superseded = reopen_superseded(bank, retained, refused)
    begin_histories(bank, retained)
    standing = [unit for unit in statements if unit.id not in refused]
    formed = sum(adopt_statement(author, unit, relations, superseded.get(unit.id, ())) for unit in standing)
    return Adopted(formed, Counter(refused.values()), relations.usage)


def begin_histories(bank: Bank, retained: RetainedUnits) -> None:
    """The first revision of those that have none."""
    units = [unit for unit in find_opinions(bank, (*retained.new, *retained.confirmed)) if not find_refusal(unit.text)]
    begun = count_steps(bank, [unit.id for unit in units])
    write_formed(bank, [unit for unit in units if unit.id not in begun])


def reopen_superseded(bank: Bank, retained: RetainedUnits, refused: Collection[UUID]) -> dict[UUID, list[UUID]]:
    """Opinions that retain closed for a new statement are held again: a reversal decides on them, with a revision.

    Returns them by the statement. A backdated opinion, closed for one that is held, stays closed.
    """
    found: dict[UUID, list[UUID]] = {}
    closed = find_opinions(bank, retained.superseded).filter(
        superseded_by_id__in=retained.new, expired_at__isnull=False
    )
    for old in closed.exclude(review=MemoryUnit.Review.RETIRED).order_by("id"):
        statement_id = old.superseded_by_id
        noted = RevisionEvidence.objects.of_bank(bank).filter(opinion=old, fact_id=statement_id)
        is_opinion = find_opinions(bank, [statement_id]).exists() if statement_id else False
        if not is_opinion or noted.exists() or find_with_text(bank, old, old.text):
            continue
        is_refused = statement_id in refused
        restore_unit(bank, old, actor=RETAIN, reason=STANDS if is_refused else f"{REVERSED}.")
        if statement_id and not is_refused:
            found.setdefault(statement_id, []).append(old.id)
    return found


def adopt_statement(author: Author, unit: MemoryUnit, relations: Relations, superseded: Sequence[UUID]) -> bool:
    """Whether the statement stands by itself. Opinions that it superseded count as its opposites."""
    bank = author.bank
    (claim,) = build_claims(bank, [unit])
    (near,) = find_nearest(bank, [claim], without=[unit.id])
    held = [one for one in near if one.id < unit.id and one.id not in superseded]
    opposed = [*read_held(bank, superseded), *relations.list_opposite(unit.text, held)]
    if same := relations.find_same(unit.text, held, tags=claim.tags):
        merge_opinions(author, MemoryUnit.objects.of_bank(bank).get(id=same.id), unit)
        if not same.is_retired:
            close_opposed(author, same.id, claim, opposed)
        return False
    return not opposed or reverse(author, unit, claim, opposed)


def reverse(author: Author, unit: MemoryUnit, claim: Claim, opposed: Sequence[HeldOpinion]) -> bool:
    """The agent said the opposite of held opinions. Returns whether its statement stands as an opinion of its own.

    The nearest opposite under the same tags gets the statement's text; where there is none, the statement stands.
    A pinned opposite takes the statement into its history instead.
    """
    opinions = MemoryUnit.objects.of_bank(author.bank)
    if pinned := [one.id for one in opposed if one.is_pinned]:
        close_into(author, opinions.get(id=pinned[0]), unit)
        for opinion_id in pinned:
            note_contradiction(author, opinion_id, claim)
        return False
    reversed_one = find_reversed(claim, opposed)
    if reversed_one is None:
        close_opposed(author, unit.id, claim, opposed)
        return True
    close_into(author, opinions.get(id=reversed_one.id), unit)
    copy_sources(author.bank, source=unit.id, target=reversed_one.id)
    standing = revise_opinion(author, reversed_one.id, claim)
    close_opposed(author, standing.id, claim, opposed)
    return False


def read_held(bank: Bank, opinion_ids: Collection[UUID]) -> list[HeldOpinion]:
    units = find_opinions(bank, opinion_ids).current().order_by("id")
    return [
        HeldOpinion(unit.id, unit.text, unit.confidence or 0.0, unit.review, 1.0, tags=read_own_tags(bank, unit))
        for unit in units
    ]
