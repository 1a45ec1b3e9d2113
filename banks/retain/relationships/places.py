"""Who tells of a country does not take back the city, nor the other way round."""

from collections.abc import Sequence
from uuid import UUID

from banks.english.wide_places import Breadth, find_breadth
from banks.models import Bank, Entity, Relationship
from banks.retain.relationships.told_relationship import News

HOME = "lives_in"

Places = dict[UUID, Breadth]  # by entity


def read_places(bank: Bank, news: Sequence[News], rows: Sequence[Relationship]) -> Places:
    """Asks only where somebody is told to live at one place who lived at another."""
    told = {one.relationship_id for one in news if may_lie_in(one)}
    is_asked = len(told) > 1 or any(row.relation == HOME and row.id not in told for row in rows)
    return read_breadths(bank, rows) if told and is_asked else {}


def read_breadths(bank: Bank, rows: Sequence[Relationship]) -> Places:
    ids = {row.object_id for row in rows if row.relation == HOME and row.object_id}
    if not ids:
        return {}
    names = Entity.objects.of_bank(bank).filter(id__in=ids).values_list("id", "name")
    return {entity_id: find_breadth(name) for entity_id, name in names}


def lies_in(one: News, row: Relationship, places: Places) -> bool:
    """Or the other way round: one is a country, and the other a city or a continent."""
    if not may_lie_in(one) or row.relation != HOME or row.id == one.relationship_id:
        return False
    return breadth_of(row, places) != find_breadth(one.told.found.object)


def breadth_of(row: Relationship, places: Places) -> Breadth:
    return places.get(row.object_id, Breadth.PLACE) if row.object_id else find_breadth(row.value)


def may_lie_in(one: News) -> bool:
    """What is told to begin is a move, and ends whatever was so."""
    return one.told.key[1] == HOME and one.told.found.valid_from is None and not one.is_ending
