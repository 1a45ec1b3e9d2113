"""Random streams of evidence, weighed by the formula alone: what must hold for every one of them."""

import random
from dataclasses import dataclass
from itertools import pairwise
from uuid import UUID

from reflection.models import OpinionRevision
from reflection.opinions.history.replay import replay
from reflection.opinions.moving import move
from reflection.opinions.types import Verdict

LONGEST = 40
REPEATED = 0.2  # of the evidence comes a second time


@dataclass(frozen=True)
class Stream:
    start: float
    step: float
    evidence: tuple[tuple[int, Verdict], ...]  # a number for each fact: the same one says the same


@dataclass(frozen=True)
class Checked:
    """Streams for which each held."""

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
    """The revisions that it would leave. Evidence that came before leaves none, and neither does a neutral one."""
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
    """Each piece moved it once at most, and together they moved it all the way."""
    pieces = [one.evidence_id for one in revisions[1:]]
    given = {UUID(int=number) for number, verdict in stream.evidence if verdict is not Verdict.NEUTRAL}
    unbroken = all(one.confidence_before == before.confidence_after for before, one in pairwise(revisions))
    return set(pieces) == given and len(set(pieces)) == len(pieces) and unbroken


def is_same_end(stream: Stream, revisions: list[OpinionRevision]) -> bool:
    again = follow_stream(stream)
    return replay(revisions).confidence == revisions[-1].confidence_after == again[-1].confidence_after
