"""What the bank holds around each draft: its evidence, whom it is about, and the opinions near it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from uuid import UUID

from banks.models import Bank
from reflection.opinions.forming.drafting import Draft
from reflection.opinions.held import HeldOpinion, find_all_held
from reflection.opinions.naming import SpokenOf, choose_spoken_of, read_spoken_of
from reflection.opinions.tagging import UNTAGGED, Tags, read_tags, share_tags


@dataclass(frozen=True)
class Ground:
    """`facts` are those behind each id that was given as evidence. `least_tags` are worn by what rests on none that has
    any.
    """

    facts: Mapping[UUID, Sequence[UUID]]
    least_tags: Tags = UNTAGGED


@dataclass(frozen=True)
class Surroundings:
    """`near_old` are the opinions near to what was thought before, `tags` those that all of what the draft rests on
    has: facts, and beliefs that were named besides, whose words may be in it as well.
    """

    evidence: tuple[UUID, ...]
    about: tuple[SpokenOf, ...]
    near: list[HeldOpinion]
    near_old: list[HeldOpinion]
    tags: Tags = UNTAGGED

    @property
    def entity_ids(self) -> frozenset[UUID]:
        return frozenset(one.entity_id for one in self.about)


def look_around(bank: Bank, drafts: Sequence[Draft], ground: Ground) -> list[Surroundings]:
    """For each draft. Call inside a tenant transaction.

    The statements are as many for ten drafts as for one.
    """
    evidence = [list_evidence(one, ground.facts) for one in drafts]
    spoken_of = read_spoken_of(bank, evidence)
    near = find_all_held(bank, [(one.candidate.text, one.vector) for one in drafts])
    near_old = find_near_old(bank, drafts)
    tags = read_tags(bank, {*chain(*evidence), *chain(*(one.candidate.evidence_ids for one in drafts))})
    return [
        Surroundings(
            evidence[place],
            tuple(choose_spoken_of(one.candidate.text, one.candidate.entities, spoken_of[place])),
            near[place],
            near_old.get(place, []),
            share_tags(tags.get(unit_id, UNTAGGED) for unit_id in (*evidence[place], *one.candidate.evidence_ids))
            or ground.least_tags,
        )
        for place, one in enumerate(drafts)
    ]


def list_evidence(one: Draft, facts: Mapping[UUID, Sequence[UUID]]) -> tuple[UUID, ...]:
    return tuple(dict.fromkeys(fact for given in one.candidate.evidence_ids for fact in facts.get(given, ())))


def find_near_old(bank: Bank, drafts: Sequence[Draft]) -> dict[int, list[HeldOpinion]]:
    """By the place of those that tell of a change of mind."""
    asked = {place: (one.old, one.old_vector) for place, one in enumerate(drafts) if one.old_vector is not None}
    return dict(zip(asked, find_all_held(bank, list(asked.values())), strict=True)) if asked else {}
