"""Units that tell nothing but a relationship end with it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from banks.dates import FoundDate, find_dates
from banks.english.word_set import word_set
from banks.lifecycle.closings import Closing
from banks.lifecycle.deciding.wording import weighty_words
from banks.models import Bank, RelationshipSource
from banks.retain.engines.builtin.relationships.beginnings import opens_a_state
from banks.retain.relationships.beginnings import LONGEST, MOST_OTHER_WORDS, is_all_it_tells
from banks.retain.relationships.told_relationship import News
from banks.retain.relationships.write_ends import Over
from banks.words import Kind

OPENING = re.compile(r"(?:\b(?:from|since|as of|effective|starting|beginning|in|on|at)\s+)*$", re.IGNORECASE)
ADDED = re.compile(r"\s*\([^()]*\)|\s+(?:on|onwards?)\b", re.IGNORECASE)  # the date in full, "from March on"
# How a change is told before its day, where the relationship tells what is so then.
OF_A_CHANGE = word_set(
    "will is are be going to move moves moving relocate relocates relocating start starts starting begin begins",
    "beginning",
)

BEGIN = """
UPDATE banks_memoryunit AS unit SET valid_from = begun.since
FROM unnest(%(id)s::uuid[], %(since)s::timestamptz[]) AS begun (id, since)
WHERE unit.tenant_id = %(tenant_id)s AND unit.id = begun.id AND unit.valid_from IS NULL
  AND (unit.valid_until IS NULL OR unit.valid_until >= begun.since)
"""


@dataclass(frozen=True)
class Telling:
    """A live unit as one that tells a relationship."""

    relationship_id: UUID
    unit_id: UUID
    text: str
    kind: str
    mentioned_at: datetime
    occurred_start: datetime | None
    occurred_end: datetime | None
    valid_from: datetime | None

    @property
    def is_dated(self) -> bool:
        return self.kind == Kind.EVENT or self.occurred_start is not None

    @property
    def is_told_ahead(self) -> bool:
        return self.valid_from is not None and self.mentioned_at < self.valid_from


def read_tellings(bank: Bank, relationship_ids: Sequence[UUID]) -> list[Telling]:
    """Of live units. Call inside a tenant transaction."""
    rows = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(
        relationship_id__in=relationship_ids, unit__expired_at=None
    )
    columns = ("text", "kind", "mentioned_at", "occurred_start", "occurred_end", "valid_from")
    found = rows.values_list("relationship_id", "unit_id", *(f"unit__{name}" for name in columns))
    return [Telling(*row) for row in found.order_by("unit_id")]


def find_units_that_told_only_it(bank: Bank, over: Sequence[Over]) -> list[Closing]:
    """Most units tell more than one relationship, and closing one would hide the rest: those stay."""
    ended = {one.relationship_id: one for one in over if one.teller_id}
    closings = []
    for telling in read_tellings(bank, list(ended)) if ended else ():
        one = ended[telling.relationship_id]
        if one.teller_id and telling.unit_id != one.teller_id and ends_with(telling, one):
            closings.append(Closing(telling.unit_id, one.teller_id, one.since))
    return without_tellers_of_others(bank, closings, over)


def without_tellers_of_others(bank: Bank, closings: Sequence[Closing], over: Sequence[Over]) -> list[Closing]:
    """Without units that tell something else that is so after that, and is not over with these."""
    if not closings:
        return []
    rows = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(
        unit_id__in=[one.unit_id for one in closings], relationship__expired_at=None
    )
    others = rows.exclude(relationship_id__in=[one.relationship_id for one in over])
    ends = list(others.values_list("unit_id", "relationship__valid_until"))
    return [
        closing
        for closing in closings
        if not any(unit_id == closing.unit_id and (not end or end > closing.since) for unit_id, end in ends)
    ]


def begin_successors(bank: Bank, over: Sequence[Over], news: Sequence[News], alone: Mapping[UUID, str]) -> None:
    """What took the place of another holds since then, also where nobody said since when. `alone` are the texts of new
    units with one relationship.
    """
    told = {one.relationship_id: one.told.found.text for one in news if one.told.unit_id in alone}
    begun = {
        one.teller_id: one.since
        for one in over
        if one.teller_id and one.teller_id in alone and one.successor_id in told
        if is_all_it_tells(alone[one.teller_id], told[one.successor_id])
    }
    if begun:
        with connection.cursor() as cursor:
            given: dict[str, Any] = {"tenant_id": bank.tenant_id, "id": list(begun), "since": list(begun.values())}
            cursor.execute(BEGIN, given)


def ends_with(telling: Telling, over: Over) -> bool:
    """What happened on a day stays what happened then, whatever came of it; what was told before its day is no report
    of that.
    """
    if telling.is_told_ahead:
        return is_all_it_announces(telling, over.text)
    if not telling.is_dated:
        return is_all_it_tells(telling.text, over.text)
    return is_state_with_its_beginning(telling, over.text)


def is_state_with_its_beginning(telling: Telling, relationship: str) -> bool:
    """As in "Since March 2025 Ana lives in Denver.": the date says since when it is so, and not what happened then."""
    dates = find_told_dates(telling)
    return (
        bool(dates)
        and all(opens_a_state(date, telling.text) for date in dates)
        and is_all_it_tells(without(telling.text, dates), relationship)
    )


def is_all_it_announces(telling: Telling, relationship: str) -> bool:
    """As in "Ana is moving to Rome in January 2027.": with the words for the change itself."""
    rest = without(telling.text, find_told_dates(telling))
    others = set(weighty_words(rest)) - set(weighty_words(relationship)) - OF_A_CHANGE
    return len(weighty_words(rest)) <= LONGEST and len(others) <= MOST_OTHER_WORDS


def find_told_dates(telling: Telling) -> list[FoundDate]:
    """Without those in brackets after another, which tell the same in full."""
    dates: list[FoundDate] = []
    for date in find_dates(telling.text, said_at=telling.mentioned_at):
        if not dates or date.span[0] >= find_end(telling.text, dates[-1]):
            dates.append(date)
    return dates


def find_end(text: str, date: FoundDate) -> int:
    end = date.span[1]
    while added := ADDED.match(text, end):
        end = added.end()
    return end


def without(text: str, dates: Sequence[FoundDate]) -> str:
    """Without the dates and the words that lead to them."""
    rest = text
    for date in reversed(dates):
        before = rest[: date.span[0]]
        rest = f"{before[: _find_opening(before)]} {rest[find_end(text, date) :]}"
    return rest


def _find_opening(before: str) -> int:
    found = OPENING.search(before)
    return found.start() if found else len(before)
