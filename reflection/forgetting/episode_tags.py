"""Under which tags the summary of episodes may be seen. Messages have none: what was read from them has."""

from collections import defaultdict
from collections.abc import Collection
from uuid import UUID

from banks.models import Bank, UnitSource
from reflection.opinions.tagging import UNTAGGED, Tags, read_tags, uses_tags


def read_episode_tags(bank: Bank, episode_ids: Collection[UUID]) -> dict[UUID, Tags]:
    """The tags that all tagged memories of an episode have: who is shown it by one of them is shown all of these.

    An episode whose memories have none in common is not among them. Nor is one that nothing was read from, in a bank
    that uses tags: nobody knows who may see it. Call inside a tenant transaction.
    """
    if not uses_tags(bank):
        return dict.fromkeys(episode_ids, UNTAGGED)
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(message__episode_id__in=episode_ids)
    told: defaultdict[UUID, set[UUID]] = defaultdict(set)
    for episode_id, unit_id in sources.values_list("message__episode_id", "unit_id"):
        if episode_id is not None:
            told[episode_id].add(unit_id)
    tags = read_tags(bank, set().union(*told.values()))
    worn = {episode_id: [tags[one] for one in units if one in tags] for episode_id, units in told.items()}
    shared = {episode_id: every[0].intersection(*every) if every else UNTAGGED for episode_id, every in worn.items()}
    return {episode_id: common for episode_id, common in shared.items() if common or not worn[episode_id]}
