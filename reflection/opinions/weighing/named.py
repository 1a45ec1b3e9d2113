"""Facts that speak of an opinion's entity by its name, though nobody linked them: "Redis crashed twice." of Redis.

An engine may miss a name that begins a sentence. To be weighed costs little; what is never weighed
moves no belief.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from uuid import UUID

from banks.models import Bank, EntityName
from reflection.opinions.weighing.assessing import NewFact
from reflection.opinions.weighing.bearing_rows import Vectored

WORD = re.compile(r"\w+")
LONGEST_NAME = 4  # words
SHORTEST_NAME = 3  # characters


def find_named(
    bank: Bank, facts: Sequence[Vectored[NewFact]], entity_ids: Sequence[UUID]
) -> Iterator[tuple[UUID, UUID]]:
    """Pairs of an entity and a fact whose words hold one of its names as it is written. Call inside a tenant
    transaction.
    """
    names = read_names(bank, entity_ids)
    for fact in facts:
        words = WORD.findall(fact.row.text)
        for name in {name for length in range(1, LONGEST_NAME + 1) for name in list_runs(words, length)}:
            yield from ((entity_id, fact.row.id) for entity_id in names.get(name, ()))


def list_runs(words: Sequence[str], length: int) -> Iterator[str]:
    return (" ".join(words[start : start + length]) for start in range(len(words) - length + 1))


def read_names(bank: Bank, entity_ids: Sequence[UUID]) -> Mapping[str, list[UUID]]:
    """Only what begins with a capital: any other word of a text may be just that word."""
    found: dict[str, list[UUID]] = {}
    rows = EntityName.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id, entity_id__in=entity_ids)
    for entity_id, name in rows.values_list("entity_id", "name"):
        if len(name) >= SHORTEST_NAME and name[0].isupper():
            found.setdefault(" ".join(WORD.findall(name)), []).append(entity_id)
    return found
