"""The agent changed its mind: the opinion stays the same one, with another text and confidence."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from banks.models import Bank, MemoryUnit
from providers.embedding.vector import Vector
from reflection.models import OpinionRevision
from reflection.opinions.evidence import add_evidence
from reflection.opinions.forming.uniting import Union, give_way
from reflection.opinions.held import find_held
from reflection.opinions.history.revisions import Before, Step, write_step
from reflection.opinions.history.rewording import find_with_words, reword
from reflection.opinions.naming_anew import NewWords, find_about
from reflection.opinions.tagging import UNTAGGED, Tags
from reflection.opinions.wording.sense import find_same, list_alike


@dataclass(frozen=True, eq=False)
class Revision:
    """What is thought now. `facts` are what it is thought on, `telling` is where the agent said so, if it did, `tags`
    those under which it is thought, `entities` the names that came with it.
    """

    text: str
    confidence: float
    vector: Vector | None
    reasoning: str = ""
    facts: tuple[UUID, ...] = ()
    telling: tuple[UUID, ...] = ()
    tags: Tags = UNTAGGED
    entities: tuple[str, ...] = ()

    def put_in_place_of(self, former: str) -> NewWords:
        return NewWords(self.text, former, (*self.facts, *self.telling), self.entities)


def revise(bank: Bank, opinion: MemoryUnit, revision: Revision, *, actor: str, now: datetime) -> MemoryUnit:
    """The opinion that stands after it: another one, where that says the same already.

    Call inside a tenant transaction, after `lock_memory`, of an opinion under the same tags.
    """
    if (other := find_saying(bank, opinion, revision)) is not None:
        reasoning, facts, telling = revision.reasoning, revision.facts, revision.telling
        give_way(bank, other, opinion, Union(actor, now, reasoning, facts, telling))
        return other
    add_evidence(bank, opinion.id, revision.facts)
    before = Before.of(opinion)
    opinion.confidence = revision.confidence
    reword(bank, opinion, revision.put_in_place_of(opinion.text), vector=revision.vector)
    evidence = (*revision.facts, *revision.telling)
    write_step(bank, opinion, before, Step(OpinionRevision.Cause.REVISED, actor, revision.reasoning, evidence=evidence))
    return opinion


def find_saying(bank: Bank, opinion: MemoryUnit, revision: Revision) -> MemoryUnit | None:
    """Another live opinion under the same tags that says what is thought now."""
    if revision.vector is None:
        return find_with_words(bank, opinion, revision.text)
    near = find_held(bank, revision.text, revision.vector, without=[opinion.id])
    held = list_alike(near, tags=revision.tags)
    about = find_about(bank, opinion.id, revision.put_in_place_of(opinion.text))
    spoken_of = frozenset(one.entity_id for one in about.chosen)
    same = find_same([one for one in held if not one.is_retired], text=revision.text, entity_ids=spoken_of)
    return MemoryUnit.objects.of_bank(bank).get(id=same.id) if same else None
