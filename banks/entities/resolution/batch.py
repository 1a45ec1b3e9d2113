"""Resolving the mentions of one call together: two spellings of a new name are one entity."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from banks.entities.names.canonical import merge_aliases
from banks.entities.names.normalise import identity_key, index_keys
from banks.entities.names.parsed import parse_name
from banks.entities.resolution.scoring import resolve
from banks.entities.types import Candidate, Decision, MentionOf
from banks.enums import EntityKind

_SPECIAL_WEIGHT = 20  # a shared nickname or acronym outranks shared letters


class CandidateIndex:
    def __init__(self, candidates: Iterable[Candidate] = ()) -> None:
        self._candidates: dict[str, Candidate] = {}
        self._places: defaultdict[str, set[str]] = defaultdict(set)
        for candidate in candidates:
            self.put(candidate)

    def put(self, candidate: Candidate) -> None:
        """Add the candidate, or replace the one with its id. Keys of former names stay: they only cost time."""
        place = str(candidate.id)
        before = self._candidates.get(place)
        self._candidates[place] = candidate
        for name in names_of(candidate) - (names_of(before) if before else frozenset()):
            for key in index_keys(name):
                self._places[key].add(place)

    def nearest(self, mention: MentionOf, *, limit: int) -> list[Candidate]:
        """The candidates that share most keys, ties by id, so that the order of insertion does not matter."""
        shared: Counter[str] = Counter()
        for key in index_keys(mention.name):
            weight = _SPECIAL_WEIGHT if key.startswith("=") else 1
            for place in self._places.get(key, ()):
                shared[place] += weight
        ranked = sorted(shared.items(), key=lambda item: (-item[1], item[0]))
        return [self._candidates[place] for place, _ in ranked[:limit]]


def names_of(candidate: Candidate) -> frozenset[str]:
    return frozenset({candidate.canonical_name, *candidate.aliases})


_CANDIDATES_A_MENTION = 20


@dataclass(frozen=True)
class _Group:
    """The mentions of one name and kind. They get one decision."""

    places: tuple[int, ...]
    mention: MentionOf


def resolve_all(mentions: Sequence[MentionOf], candidates: Sequence[Candidate]) -> list[Decision]:
    """One decision for each mention, in order. The decisions do not depend on the order of the mentions.

    The fullest names are decided first, so that "Alice" meets both Alice Chen and Alice Cooper of the same call. Known
    kinds of a name come before guessed ones. The target of `same_as` is itself `new` or `ask`.
    """
    index = CandidateIndex(candidates)
    leaders: dict[UUID, int] = {}
    decisions: dict[int, Decision] = {}
    for group in _groups(mentions):
        decision = _decide(group, index, leaders)
        for place in group.places:
            decisions[place] = decision
        if decision.same_as is None and decision.verdict != "same":
            leaders |= _lead(group, index)
            followers = Decision(None, decision.score, "same", same_as=group.places[0])
            decisions |= dict.fromkeys(group.places[1:], followers)
    return [decisions[place] for place in range(len(mentions))]


def _groups(mentions: Sequence[MentionOf]) -> list[_Group]:
    places: defaultdict[tuple[str, EntityKind], list[int]] = defaultdict(list)
    for place, mention in enumerate(mentions):
        places[identity_key(mention.name), mention.kind].append(place)
    groups = [_Group(tuple(found), _united([mentions[place] for place in found])) for found in places.values()]
    return sorted(groups, key=_order)


def _united(mentions: list[MentionOf]) -> MentionOf:
    first = min(mentions, key=lambda mention: (mention.seen_at, mention.name))
    return replace(
        first,
        companions=frozenset().union(*(mention.companions for mention in mentions)),
        kind_is_guess=all(mention.kind_is_guess for mention in mentions),
        kind_is_stated=any(mention.kind_is_stated for mention in mentions),
    )


def _order(group: _Group) -> tuple[int, bool, float, str, str]:
    mention = group.mention
    fullness = -len(parse_name(mention.name).words)
    unsure = mention.kind is EntityKind.OTHER or mention.kind_is_guess
    return fullness, unsure, mention.seen_at.timestamp(), identity_key(mention.name), mention.kind


def _decide(group: _Group, index: CandidateIndex, leaders: dict[UUID, int]) -> Decision:
    near = index.nearest(group.mention, limit=_CANDIDATES_A_MENTION)
    decision = resolve(group.mention, near)
    if decision.verdict == "same":
        index.put(_with_mention(next(c for c in near if c.id == decision.entity_id), group.mention))
    if decision.entity_id in leaders:
        return _inside_the_call(decision, leaders[decision.entity_id])
    return decision


def _inside_the_call(decision: Decision, leader: int) -> Decision:
    """A doubt between two mentions of the call has no stored entity to ask about: the mention is new."""
    if decision.verdict == "same":
        return replace(decision, entity_id=None, same_as=leader)
    return replace(decision, entity_id=None, verdict="new")


def _lead(group: _Group, index: CandidateIndex) -> dict[UUID, int]:
    """Add a stand-in to the candidates. Its id is its place in the call, so it differs from every real id."""
    leader, mention = group.places[0], group.mention
    stand_in = UUID(int=leader)
    index.put(
        Candidate(
            id=stand_in,
            canonical_name=mention.name,
            aliases=(),
            kind=mention.kind,
            companions=Counter(mention.companions),
            last_seen_at=mention.seen_at,
            mention_count=len(group.places),
            is_speaker=False,
            kind_is_stated=mention.kind_is_stated,
        )
    )
    return {stand_in: leader}


def _with_mention(candidate: Candidate, mention: MentionOf) -> Candidate:
    aliases = merge_aliases(candidate.canonical_name, candidate.aliases, (mention.name,))
    companions = Counter(candidate.companions) + Counter(mention.companions)
    is_open = candidate.kind is EntityKind.OTHER and not candidate.kind_is_stated
    kind = mention.kind if is_open else candidate.kind
    return replace(candidate, aliases=aliases, companions=companions, kind=kind)
