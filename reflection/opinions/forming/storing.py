"""New opinions into the bank: those of one answer together, for the statements that it takes are the same for all."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from banks.models import Bank, MemoryUnit
from banks.retain.prepared import PreparedFact
from banks.retain.storing.units import store_units
from banks.retain.types import ExtractedFact
from banks.words import Network
from providers.embedding.vector import Vector
from reflection.opinions.evidence import add_all_evidence
from reflection.opinions.forming.naming_new import Named
from reflection.opinions.history.revisions import Ground, write_formed
from reflection.opinions.naming import About, record_spoken_of
from reflection.opinions.tagging import UNTAGGED, Tags
from reflection.opinions.types import CandidateOpinion, FormedOpinion


@dataclass(frozen=True)
class Author:
    """In whose name, and when, a call writes."""

    bank: Bank
    actor: str
    now: datetime


@dataclass(frozen=True, eq=False)
class NewOpinion:
    """One that says what the bank does not hold yet. `reasoning` is what its history may tell of the candidate's."""

    candidate: CandidateOpinion
    vector: Vector
    evidence: tuple[UUID, ...]
    named: Named
    tags: Tags = UNTAGGED
    reasoning: str = ""


def store_opinions(author: Author, new: Sequence[NewOpinion]) -> list[FormedOpinion]:
    """In their order; no two of them say the same. Call inside a tenant transaction, after `lock_memory`."""
    if not new:
        return []
    bank = author.bank
    stored = store_units(bank, [prepare(one, author.now) for one in new], now=author.now)
    opinions = [build_unit(unit.id, one.candidate) for unit, one in zip(stored, new, strict=True)]
    pairs = list(zip(opinions, new, strict=True))
    add_all_evidence(bank, {unit.id: one.evidence for unit, one in pairs})
    record_spoken_of(bank, [About(unit.id, one.named.about, one.named.called) for unit, one in pairs], now=author.now)
    grounds = {unit.id: Ground(one.evidence, one.reasoning) for unit, one in pairs}
    write_formed(bank, opinions, actor=author.actor, grounds=grounds)
    return [describe_formed(unit, one) for unit, one in pairs]


def prepare(one: NewOpinion, now: datetime) -> PreparedFact:
    fact = ExtractedFact(one.candidate.text, Network.OPINION, now, confidence=one.candidate.confidence)
    return PreparedFact(fact, one.vector, (), tags=tuple(sorted(one.tags)))


def build_unit(unit_id: UUID, candidate: CandidateOpinion) -> MemoryUnit:
    """As it was stored a moment ago, without being read again."""
    return MemoryUnit(id=unit_id, text=candidate.text, confidence=candidate.confidence)


def describe_formed(unit: MemoryUnit, one: NewOpinion) -> FormedOpinion:
    candidate = one.candidate
    return FormedOpinion(unit.id, unit.text, candidate.confidence, "formed", None, candidate.reasoning, one.evidence)
