"""What the bank holds around each draft: its evidence, whom it is about, and the opinions near it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from uuid import UUID

from banks.models import Bank, MemoryUnit
from reflection.opinions.forming.author_view import AuthorView
from reflection.opinions.forming.drafting import Draft
from reflection.opinions.forming.naming_new import Named, find_spoken_of
from reflection.opinions.held import HeldOpinion, find_all_held
from reflection.opinions.tagging import UNTAGGED, Tags, read_tags, share_tags


@dataclass(frozen=True)
class Ground:
    """`facts` are those behind each id that was given as evidence, `view` is what their author had read."""

    facts: Mapping[UUID, Sequence[UUID]]
    view: AuthorView


@dataclass(frozen=True)
class Surroundings:
    """`near_old` are the opinions near to what was thought before, `tags` those that all has which the words of the
    draft may come from: facts, beliefs that were named besides, and what was read. `reasoning` is empty where it may
    hold what not all see who see the opinion.
    """

    evidence: tuple[UUID, ...]
    named: Named
    near: list[HeldOpinion]
    near_old: list[HeldOpinion]
    tags: Tags = UNTAGGED
    reasoning: str = ""

    @property
    def entity_ids(self) -> frozenset[UUID]:
        return frozenset(one.entity_id for one in self.named.about)


def look_around(bank: Bank, drafts: Sequence[Draft], ground: Ground) -> list[Surroundings]:
    """For each draft. Call inside a tenant transaction.

    The statements are as many for ten drafts as for one.
    """
    evidence = [list_evidence(one, ground.facts) for one in drafts]
    spoken_of = find_spoken_of(bank, [one.candidate for one in drafts], evidence)
    near = find_all_held(bank, [(one.candidate.text, one.vector) for one in drafts])
    near_old = find_near_old(bank, drafts)
    rested_on = [{*evidence[place], *one.candidate.evidence_ids} for place, one in enumerate(drafts)]
    bounds = bind(bank, drafts, rested_on, ground.view)
    return [
        Surroundings(
            evidence[place],
            spoken_of[place],
            near[place],
            near_old.get(place, []),
            *bounds[place],
        )
        for place, one in enumerate(drafts)
    ]


def bind(
    bank: Bank, drafts: Sequence[Draft], rested_on: Sequence[Collection[UUID]], view: AuthorView
) -> list[tuple[Tags, str]]:
    """The tags of each draft, and its reasoning as far as it may be told under them."""
    ids = set(chain(*rested_on))
    tags = read_tags(bank, ids)
    texts = dict(MemoryUnit.objects.of_bank(bank).filter(id__in=ids).values_list("id", "text")) if view.tags else {}
    bounds = []
    for one, unit_ids in zip(drafts, rested_on, strict=True):
        candidate = one.candidate
        told = [texts[unit_id] for unit_id in unit_ids if unit_id in texts]
        shared = share_tags(tags.get(unit_id, UNTAGGED) for unit_id in unit_ids)
        worn = view.choose_tags(shared, " ".join((candidate.text, *candidate.entities)), told)
        bounds.append((worn, candidate.reasoning if view.may_tell(worn, candidate.reasoning, told) else ""))
    return bounds


def list_evidence(one: Draft, facts: Mapping[UUID, Sequence[UUID]]) -> tuple[UUID, ...]:
    return tuple(dict.fromkeys(fact for given in one.candidate.evidence_ids for fact in facts.get(given, ())))


def find_near_old(bank: Bank, drafts: Sequence[Draft]) -> dict[int, list[HeldOpinion]]:
    """By the place of those that tell of a change of mind."""
    asked = {place: (one.old, one.old_vector) for place, one in enumerate(drafts) if one.old_vector is not None}
    return dict(zip(asked, find_all_held(bank, list(asked.values())), strict=True)) if asked else {}
