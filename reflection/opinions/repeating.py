"""Evidence that an opinion has met already, told once more: under other tags, of another network, or with a date.

Tags make two memories of one telling, and confidence is one truth: what ten people tell is told, not proven ten times.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple
from uuid import UUID

from banks.lifecycle.deciding.sameness import Telling, tell_the_same
from banks.models import Bank, MemoryUnit
from reflection.opinions.evidence import Pair, find_used_by


@dataclass(frozen=True)
class Met:
    """What one opinion has met, by its words in whichever order."""

    tellings: dict[tuple[str, ...], list[Telling]] = field(default_factory=dict)

    def has(self, telling: Telling) -> bool:
        return any(tell_once(telling, one) for one in self.tellings.get(build_key(telling), ()))

    def add(self, telling: Telling) -> None:
        self.tellings.setdefault(build_key(telling), []).append(telling)


class Told(NamedTuple):
    """`is_over`: that was so and is no more; told after its end it is so again."""

    telling: Telling
    is_over: bool


def build_key(telling: Telling) -> tuple[str, ...]:
    return tuple(sorted(telling.words))


def tell_once(one: Telling, other: Telling) -> bool:
    """Whether both tell of the same. What happened on two days happened twice; where one of them has no date, nothing
    says that it is another day, and in doubt an opinion stays.
    """
    if one.occurred_start is None or other.occurred_start is None:
        one, other = replace(one, occurred_start=None), replace(other, occurred_start=None)
    return tell_the_same(one, other)


def find_spent(bank: Bank, pairs: Sequence[Pair]) -> set[Pair]:
    """Those whose fact is what the opinion rests on or was moved by, or tells it that once more, or what it meets in an
    earlier one of the pairs.

    Call inside a tenant transaction.
    """
    used = find_used_by(bank, {opinion_id for _, opinion_id in pairs})
    tellings = read_tellings(bank, {fact_id for fact_id, _ in (*used, *pairs)})
    met: dict[UUID, Met] = {}
    for fact_id, opinion_id in used:
        told = tellings.get(fact_id)
        if told and not told.is_over:
            met.setdefault(opinion_id, Met()).add(told.telling)
    spent = used.intersection(pairs)
    for pair in pairs:
        known, told = met.setdefault(pair[1], Met()), tellings.get(pair[0])
        if told is None or known.has(told.telling):
            spent.add(pair)
        else:
            known.add(told.telling)
    return spent


def read_tellings(bank: Bank, unit_ids: Collection[UUID]) -> dict[UUID, Told]:
    """Of those that are still there."""
    units = MemoryUnit.objects.of_bank(bank).filter(id__in=unit_ids)
    rows = units.values_list("id", "text", "mentioned_at", "occurred_start", "close_reason")
    over = MemoryUnit.CloseReason.UPDATE
    return {unit_id: Told(Telling(text, at, start), reason == over) for unit_id, text, at, start, reason in rows}


def list_fresh(bank: Bank, opinion_id: UUID, fact_ids: Iterable[UUID]) -> list[UUID]:
    """In their order those that tell the opinion something that it has not met. Call inside a tenant transaction."""
    given = list(dict.fromkeys(fact_ids))
    spent = find_spent(bank, [(one, opinion_id) for one in given])
    return [one for one in given if (one, opinion_id) not in spent]
