"""Which mentions of an entity that is split go, and which stay."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from banks.entities.curation.second_names import SecondName, find_second_names
from banks.entities.names.normalise import alias_keys, normalise_name, spelling_key
from banks.models import Bank, Entity, EntityName, Mention


@dataclass(frozen=True)
class Parting:
    """A unit whose text names both mentions both afterwards: one side keeps the row, the other gets a new one."""

    moved: tuple[Mention, ...]
    left: tuple[Mention, ...]
    also_moved: tuple[SecondName, ...]
    also_left: tuple[SecondName, ...]

    @property
    def moved_names(self) -> list[str]:
        return [*(one.name for one in self.moved), *(one.name for one in self.also_moved)]

    @property
    def left_names(self) -> list[str]:
        return [*(one.name for one in self.left), *(one.name for one in self.also_left)]

    @property
    def units_of_both(self) -> set[UUID]:
        return {one.unit_id for one in (*self.also_moved, *self.also_left)}

    @property
    def moved_units(self) -> set[UUID]:
        return {one.unit_id for one in self.moved} - self.units_of_both


def part_mentions(
    bank: Bank, entity: Entity, mentions: Sequence[Mention], meant: set[str], unit_ids: Iterable[UUID]
) -> Parting:
    """`meant` are the keys of the names that go. A unit that is named goes whatever its text says."""
    wanted = set(unit_ids)
    by_unit = [one for one in mentions if one.unit_id in wanted]
    others = [one for one in mentions if one.unit_id not in wanted]
    by_name = [one for one in others if meant & set(alias_keys(one.name))]
    left = [one for one in others if not meant & set(alias_keys(one.name))]
    names = set(EntityName.objects.for_tenant(bank.tenant_id).filter(entity=entity).values_list("name", flat=True))
    going = {name for name in names if meant & set(alias_keys(name))}
    return Parting(
        moved=(*by_unit, *by_name),
        left=tuple(left),
        also_moved=find_second_names(bank, going, {one.unit_id for one in left}),
        also_left=find_second_names(bank, names - going, {one.unit_id for one in by_name}),
    )


def find_meant(names: Iterable[str], mentions: Sequence[Mention]) -> set[str]:
    """The keys of the names: of the spelling where somebody wrote it so, else of all that have the normal form."""
    written = {spelling_key(one.name) for one in mentions}
    return {key if key in written else normalise_name(name) for name in names for key in [spelling_key(name)]}


def store_parting(bank: Bank, entity: Entity, new: Entity, parting: Parting) -> None:
    rows = Mention.objects.for_tenant(bank.tenant_id)
    rows.filter(id__in=[one.id for one in parting.moved]).update(entity=new)
    both = [(new, one) for one in parting.also_moved] + [(entity, one) for one in parting.also_left]
    rows.bulk_create([Mention(entity=whose, unit_id=one.unit_id, name=one.name) for whose, one in both])
