"""Whom a new opinion speaks of: those that its words name, whether its author says so or not, or else those of its
evidence. Who is neither in its words nor in its reason is not spoken of, whatever its author says.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from banks.models import Bank
from reflection.opinions.named_in_bank import NamedInBank, blank, find_in_bank
from reflection.opinions.naming import SpokenOf, is_named_in, read_spoken_of
from reflection.opinions.types import CandidateOpinion

MOST_OF_EVIDENCE = 3  # entities that an opinion without a name of its own takes from its evidence


@dataclass(frozen=True)
class Named:
    """`called` are names besides, of which nobody knows yet whose they are. `given` are those of the author's that the
    words or the reason have.
    """

    about: tuple[SpokenOf, ...] = ()
    called: tuple[str, ...] = ()
    given: tuple[str, ...] = ()


def find_spoken_of(
    bank: Bank, candidates: Sequence[CandidateOpinion], evidence: Sequence[Sequence[UUID]]
) -> list[Named]:
    """Of each candidate. Call inside a tenant transaction."""
    known = read_spoken_of(bank, evidence)
    named = [list_named(one, of_evidence) for one, of_evidence in zip(candidates, known, strict=True)]
    blanked = [blank(one.text, spoken_of) for one, spoken_of in zip(candidates, named, strict=True)]
    in_bank = find_in_bank(bank, blanked)
    everything = zip(candidates, known, named, in_bank, strict=True)
    return [choose(one, of_evidence, spoken_of, others) for one, of_evidence, spoken_of, others in everything]


def list_named(candidate: CandidateOpinion, known: Sequence[SpokenOf]) -> list[SpokenOf]:
    """Of the evidence's."""
    return [
        one
        for one in known
        if one.is_named_in(candidate.text)
        or (any(map(one.may_be, candidate.entities)) and one.is_named_in(candidate.reasoning))
    ]


def choose(
    candidate: CandidateOpinion, known: Sequence[SpokenOf], named: Sequence[SpokenOf], others: NamedInBank
) -> Named:
    """Where nobody is named, as in "She is kind", the evidence's are meant, and of them those that its author says."""
    about = (*named, *others.found)
    words = f"{candidate.text}\n{candidate.reasoning}"
    given = tuple(name for name in candidate.entities if is_named_in(words, [name]))
    names = dict.fromkeys((*given, *others.doubtful))
    called = tuple(name for name in names if not any(one.may_be(name) for one in about))
    if about or called:
        return Named(about, called, given)
    meant = [one for one in known if any(map(one.may_be, candidate.entities))]
    return Named(tuple(meant or known[:MOST_OF_EVIDENCE]))
