"""Invariants of the confidence formula, checked on random streams of evidence."""

import random
from dataclasses import dataclass
from itertools import pairwise
from uuid import UUID

from reflection.models import OpinionRevision
from reflection.opinions.claims import Verdict
from reflection.opinions.confidence import move
from reflection.opinions.history import replay

LONGEST = 40
REPEATED = 0.2  # share of the evidence that occurs twice


@dataclass(frozen=True)
class Stream:
    start: float
    step: float
    evidence: tuple[tuple[int, Verdict], ...]  # facts with the same number say the same


@dataclass(frozen=True)
class Checked:
    """The number of streams for which each invariant held."""

    streams: int
    within_bounds: int
    moved_by_evidence_only: int
    same_end: int


def build_stream(seed: int) -> Stream:
    chance = random.Random(seed)  # noqa: S311  # streams that can be repeated
    evidence: list[tuple[int, Verdict]] = []
    for number in range(chance.randint(0, LONGEST)):
        if evidence and chance.random() < REPEATED:
            evidence.append(chance.choice(evidence))
        else:
            evidence.append((number, chance.choice(list(Verdict))))
    return Stream(round(chance.random(), 6), round(chance.uniform(0.01, 0.99), 6), tuple(evidence))


def follow_stream(stream: Stream) -> list[OpinionRevision]:
    """The revisions that the stream leaves. Repeated evidence and neutral verdicts leave none."""
    revisions = [OpinionRevision(number=1, cause="formed", confidence_after=stream.start, text_after="It is so.")]
    seen: set[int] = set()
    for number, verdict in stream.evidence:
        if number in seen or verdict is Verdict.NEUTRAL:
            continue
        seen.add(number)
        before = revisions[-1].confidence_after
        revisions.append(
            OpinionRevision(
                number=len(revisions) + 1,
                cause=verdict.value,
                confidence_before=before,
                confidence_after=move(before, verdict, step=stream.step),
                text_before="It is so.",
                text_after="It is so.",
                step=stream.step,
                evidence_id=UUID(int=number),
            )
        )
    return revisions


def check_streams(count: int) -> Checked:
    within = moved = same = 0
    for seed in range(count):
        stream = build_stream(seed)
        revisions = follow_stream(stream)
        within += all(0.0 <= one.confidence_after <= 1.0 for one in revisions)
        moved += has_moved_by_evidence_only(stream, revisions)
        same += is_same_end(stream, revisions)
    return Checked(count, within, moved, same)


def has_moved_by_evidence_only(stream: Stream, revisions: list[OpinionRevision]) -> bool:
    """Each piece of evidence moved the opinion at most once, and the moves add up to its whole change."""
    pieces = [one.evidence_id for one in revisions[1:]]
    given = {UUID(int=number) for number, verdict in stream.evidence if verdict is not Verdict.NEUTRAL}
    unbroken = all(one.confidence_before == before.confidence_after for before, one in pairwise(revisions))
    return set(pieces) == given and len(set(pieces)) == len(pieces) and unbroken


def is_same_end(stream: Stream, revisions: list[OpinionRevision]) -> bool:
    again = follow_stream(stream)
    return replay(revisions).confidence == revisions[-1].confidence_after == again[-1].confidence_after
