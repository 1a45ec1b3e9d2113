"""What one deletion, correction, edit or merge did to an opinion, and how its history tells it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from reflection.models import OpinionRevision
from reflection.opinions.history.replay import OpinionState
from reflection.opinions.history.steps import History

DELETED = "evidence was deleted."
CORRECTED = "evidence was corrected, it never was so."
EDITED = "evidence was edited and is weighed anew."
PARTED = "evidence is of another, who was taken for the same, and is weighed anew."
MERGED = "evidence was told with more to it and is weighed anew."


@dataclass(frozen=True)
class Loss:
    """`state` is what the opinion goes back to, `removed` are the texts that could not stay.

    The steps `over` were taken back, of them `outgrown` because they had judged a wording that went. The steps `left`
    lost evidence and stand. `facts` are what was lost and is there still.
    """

    state: OpinionState
    why: str
    over: frozenset[int] = frozenset()
    left: frozenset[int] = frozenset()
    facts: tuple[UUID, ...] = ()
    removed: frozenset[str] = frozenset()
    outgrown: frozenset[int] = frozenset()

    @property
    def reasoning(self) -> str:
        lost = self.over - self.outgrown
        told = [f"takes back {join(lost)}"] if lost else []
        told += [f"leaves {join(self.left)} standing"] if self.left else []
        sentence = f"{', '.join(told)}: {self.why}" if told else self.why
        besides = f" Takes back {join(self.outgrown)} too: that was of a wording that went." if self.outgrown else ""
        return f"{sentence[0].upper()}{sentence[1:]}{besides}"


def join(numbers: Collection[int]) -> str:
    *first, last = map(str, sorted(numbers))
    return f"{', '.join(first)} and {last}" if first else last


def unite_losses(first: Loss, then: Loss) -> Loss:
    """A deletion may come to the same opinion twice: by a fact, and by another opinion that went with the fact."""
    over = first.over | then.over
    return Loss(
        then.state,
        DELETED if DELETED in {first.why, then.why} else then.why,
        over,
        (first.left | then.left) - over,
        tuple(dict.fromkeys((*first.facts, *then.facts))),
        first.removed | then.removed,
        first.outgrown | then.outgrown,
    )


def find_touched(history: History, lost: Collection[UUID]) -> frozenset[int]:
    return frozenset(
        revision.number
        for revision in history.revisions
        if any(row.id in lost for row in history.grounds.get(revision.id, ()))
    )


def find_facts(history: History, lost: Collection[UUID]) -> tuple[UUID, ...]:
    rows = [row for rows in history.grounds.values() for row in rows if row.id in lost]
    return tuple(dict.fromkeys(row.fact_id for row in rows if row.fact_id))


def find_over(revisions: Sequence[OpinionRevision]) -> frozenset[int]:
    return frozenset(revision.number for revision in revisions if revision.withdrawn)
