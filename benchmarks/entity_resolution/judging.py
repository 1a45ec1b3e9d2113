"""A pair before the resolver: alone, and in a bank among its nearest distractors."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from uuid import UUID

from banks.entities.resolution.batch import CandidateIndex
from banks.entities.resolution.scoring import DEFAULT_THRESHOLDS, Thresholds, resolve
from banks.entities.types import Candidate, Decision, MentionOf
from benchmarks.entity_resolution.pair import Name, Pair
from benchmarks.entity_resolution.variations import are_related, split_words

LOOKED_AT = 60
NEAREST = 20
NOW = datetime(2024, 6, 1, tzinfo=UTC)


def judge_alone(pair: Pair, thresholds: Thresholds = DEFAULT_THRESHOLDS) -> Decision:
    return resolve(build_mention(pair), [build_candidate(pair.other)], thresholds=thresholds)


def judge_in_bank(pairs: Sequence[Pair]) -> Callable[[Pair], Decision]:
    """All names of the half are entities of the bank, so the search for candidates is measured as well.

    For a pair of two different entities the bank holds only the other one, and the mention should find nothing.
    """
    index = CandidateIndex(map(build_candidate, {pair.other for pair in pairs if pair.same}))
    truths = {(pair.one, identify(pair.other)) for pair in pairs if pair.same}

    def judge(pair: Pair) -> Decision:
        mention, target = build_mention(pair), build_candidate(pair.other)
        near = [candidate for candidate in index.nearest(mention, limit=LOOKED_AT) if candidate.id != target.id]
        fair = [c for c in near if (pair.one, c.id) not in truths and not could_be_meant(pair, c)]
        found = CandidateIndex((*fair[:NEAREST], target)).nearest(mention, limit=NEAREST)
        return resolve(mention, found)

    return judge


def could_be_meant(pair: Pair, candidate: Candidate) -> bool:
    """The generator made another entity that the mention could equally mean, so the pair has no right answer."""
    mine = {*split_words(pair.one.text), *split_words(pair.other.text)}
    theirs = split_words(candidate.canonical_name)
    return any(are_related(word, theirs[0]) for word in mine) or bool(mine & set(theirs))


def build_mention(pair: Pair) -> MentionOf:
    """Co-mentions agree more often within one entity, but friends and family share them too."""
    drawn = draw(pair.one.text + pair.other.text)
    shared = drawn % 10 < (5 if pair.same else 2)
    seen_at = NOW + timedelta(days=drawn % 120)
    return MentionOf(
        pair.one.text,
        pair.one.kind,
        frozenset({name_companion(pair.other) if shared else "Zed"}),
        seen_at,
        kind_is_stated=pair.one.is_stated,
    )


def build_candidate(name: Name) -> Candidate:
    company = {name_companion(name): 2}
    return Candidate(
        identify(name), name.text, (), name.kind, company, NOW, 3, is_speaker=False, kind_is_stated=name.is_stated
    )


def name_companion(name: Name) -> str:
    return f"companion {draw(name.text)}"


def identify(name: Name) -> UUID:
    return UUID(bytes=sha256(f"{name.text}|{name.kind}".encode()).digest()[:16])


def draw(text: str) -> int:
    return int.from_bytes(sha256(text.encode()).digest()[1:5])
