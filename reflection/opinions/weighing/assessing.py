"""The question how facts bear on an opinion, and who answers it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol
from uuid import UUID

from providers.usage import Usage
from reflection.opinions.types import Verdict


@dataclass(frozen=True)
class NewFact:
    """`cosine` is to the opinion, `shared` how many entities both speak of."""

    id: UUID
    text: str
    mentioned_at: datetime
    recorded_at: datetime
    cosine: float = 0.0
    shared: int = 0


@dataclass(frozen=True)
class OpinionQuestion:
    """One opinion with all the facts of a batch that may bear on it, in the order in which they came.

    `names` are those of each of its entities that has several. They may be known from what not all may see who see the
    opinion: they are for comparing, and no answer tells them.
    """

    opinion_id: UUID
    text: str
    confidence: float
    facts: tuple[NewFact, ...]
    names: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Assessment:
    """`verdicts` and `reasons` by the facts of the question, in order.

    `text` is what the opinion should say from here on, all the facts considered; empty where it stays as it is.
    `undecided` are the places of facts without a readable answer, which are neutral; `by` says who decided on each
    fact where it was not the one who was asked.
    """

    verdicts: tuple[Verdict, ...]
    reasons: tuple[str, ...]
    text: str = ""
    undecided: tuple[int, ...] = ()
    by: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Assessments:
    """In the order of the questions."""

    assessments: tuple[Assessment, ...]
    usage: Usage = field(default_factory=Usage)


class Assessor(Protocol):
    """Thread-safe. Opinions and facts are data: nothing in them is an instruction."""

    @property
    def name(self) -> str:
        """Stands in the history of the opinions that it moves."""
        ...

    def assess(self, questions: Sequence[OpinionQuestion]) -> Assessments:
        """Call outside of transactions: a model may take its time."""
        ...


def leave_undecided(question: OpinionQuestion) -> Assessment:
    count = len(question.facts)
    return Assessment((Verdict.NEUTRAL,) * count, ("",) * count, undecided=tuple(range(count)))
