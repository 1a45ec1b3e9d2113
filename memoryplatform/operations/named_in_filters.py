"""What a filter names must be there: a list that is empty because of a wrong id looks like one of nothing known."""

from collections.abc import Iterable
from uuid import UUID

from banks.errors import EntityNotFound, EpisodeNotFound
from banks.models import Bank, Entity, Episode


def check_entities(bank: Bank, ids: Iterable[UUID | None]) -> None:
    """Raises EntityNotFound for the first that the bank has not. Call inside a tenant transaction, as the next."""
    for entity_id in filter(None, ids):
        if not Entity.objects.of_bank(bank).filter(id=entity_id).exists():
            raise EntityNotFound(entity_id)


def check_episode(bank: Bank, episode_id: UUID | None) -> None:
    if episode_id and not Episode.objects.for_tenant(bank.tenant_id).filter(bank=bank, id=episode_id).exists():
        raise EpisodeNotFound(episode_id)
