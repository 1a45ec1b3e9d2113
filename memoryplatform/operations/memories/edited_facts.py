"""A memory that is edited by hand: its new text is read and embedded, and what was made of the former one goes."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils import timezone

from banks.entities.named import Resolved
from banks.lifecycle.edit import UnitEdit, UnitState, build_edited_fact, build_edited_text
from banks.lifecycle.retell import retell
from banks.models import Bank, MemoryUnit
from banks.retain.engines.builtin.rereading import read_again
from banks.retain.prepared import PreparedFact
from banks.retain.types import FoundEntity
from banks.retain.vectors import embed_texts
from memoryplatform.operations.kinds.refresh_observations import ask_for_refresh
from memoryplatform.operations.mental_models.refreshes import renew_bereft
from providers.embedding.vector import Vector
from providers.registry import get_embedder
from reflection.mental_models.storing import lose
from reflection.observations.marking import mark_stale


@dataclass(frozen=True, eq=False)
class Edited:
    """`vector` is None where the one that is there stays right, `told` where nothing is read anew."""

    vector: Vector | None = None
    told: PreparedFact | None = None


def read_edited(bank: Bank, state: UnitState, edit: UnitEdit, known: Iterable[Resolved]) -> Edited:
    """Call outside of transactions. `known` are those that the memory speaks of.

    By the rules, whichever engine the bank has: who edits a memory waits for it.
    """
    text = build_edited_text(state, edit)
    if text is None:
        return Edited()
    fact = build_edited_fact(state, edit)
    if fact is None:
        return Edited(embed(bank, [text])[0])
    read = read_again(fact, [FoundEntity(one.name, one.kind) for one in known])
    vector, *others = embed(bank, [text, *(one.text for one in read.relationships)])
    return Edited(vector, PreparedFact(read, vector, (), relationship_vectors=tuple(others)))


def embed(bank: Bank, texts: list[str]) -> list[Vector]:
    return embed_texts(bank.tenant_id, get_embedder(), texts).vectors


def follow_retelling(bank: Bank, fact: MemoryUnit, told: PreparedFact, *, former: str, actor: str) -> None:
    """What is known of those whom either text speaks of is made anew, and so are mental models that may have words of
    the former. Call inside the tenant transaction of the edit, after it.
    """
    removed = retell(bank, fact, told, former=former, actor=actor)
    mark_stale(bank, removed.touched_entities, now=timezone.now(), is_altered=True)
    ask_for_refresh(bank)
    lose(bank, [fact.id])
    renew_bereft(bank)
