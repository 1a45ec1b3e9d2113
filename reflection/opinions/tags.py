"""Tags of opinions: whoever may see the facts behind an opinion sees it, and nobody else does.

The author of an answer may repeat words of any memory that it read, not only of the facts that a claim names as
evidence. So the tags of all these memories decide on the tags of its claims.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any
from uuid import UUID

from django.db import connection

from banks.models import Bank, ChunkPart, MemoryUnit, RelationshipSource, UnitSource, UnitTag
from banks.rendering import RENDERED_TEXT
from reflection.opinions.scrubbing import is_covered
from retrieval.filters.tags import FORMED_UNDER_SEVERAL

Tags = frozenset[str]
UNTAGGED: Tags = frozenset()
UNDER_SEVERAL: Tags = frozenset({FORMED_UNDER_SEVERAL})  # no query names it; a query without tags finds it


@dataclass(frozen=True)
class TaggedText:
    """A text and the tags of the facts, or of the message, that it comes from."""

    text: str
    tags: Tags = UNTAGGED

    def quote_for(self, reader: Tags, lead: str) -> str:
        """The lead with the text where everybody who sees `reader` may see the text, else the lead alone."""
        return f"{lead}: {self.text}" if may_read(reader, self.tags) else f"{lead}."


def read_tags(bank: Bank, unit_ids: Collection[UUID]) -> dict[UUID, Tags]:
    """Units without tags are missing."""
    found: dict[UUID, Tags] = {}
    rows = UnitTag.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids)
    for unit_id, tag in rows.values_list("unit_id", "tag"):
        found[unit_id] = found.get(unit_id, UNTAGGED) | {tag}
    return found


def uses_tags(bank: Bank) -> bool:
    return UnitTag.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id).exists()


def read_own_tags(bank: Bank, unit: MemoryUnit) -> Tags:
    return read_tags(bank, [unit.id]).get(unit.id, UNTAGGED)


def share_tags(given: Iterable[Tags]) -> Tags:
    """The tags of a text that rests on units with these tags: a reader by one of its tags must see each unit."""
    tagged = [tags for tags in given if tags]
    if not tagged:
        return UNTAGGED
    return frozenset.intersection(*tagged) or UNDER_SEVERAL


def may_read(reader: Tags, said: Tags) -> bool:
    """Whether everybody who sees a unit with the tags `reader` also sees a unit with the tags `said`."""
    return not said or (bool(reader) and reader <= said)


Shown = Mapping[UUID, str | None]  # ids of everything in the prompt, with the texts of memories

FIND = f"""
SELECT id, {RENDERED_TEXT.format(unit="banks_memoryunit")} FROM banks_memoryunit
WHERE tenant_id = %(tenant)s AND bank_id = %(bank)s AND id = ANY(%(all_ids)s)
UNION ALL
SELECT id, NULL FROM banks_chunk WHERE tenant_id = %(tenant)s AND bank_id = %(bank)s AND id = ANY(%(ids)s)
UNION ALL
SELECT id, NULL FROM banks_message WHERE tenant_id = %(tenant)s AND bank_id = %(bank)s AND id = ANY(%(ids)s)
UNION ALL
SELECT id, NULL FROM banks_relationship WHERE tenant_id = %(tenant)s AND bank_id = %(bank)s AND id = ANY(%(ids)s)
"""  # noqa: S608  # the fragment is a constant of ours


def do_all_exist(bank: Bank, shown: Shown) -> bool:
    """Whether everything that the author read still exists, live or closed, with the text that it had.

    Call inside a tenant transaction, after `lock_memory`, so that no deletion follows.
    """
    if not shown:
        return True
    others = [one for one, text in shown.items() if text is None]
    asked: dict[str, Any] = {"tenant": bank.tenant_id, "bank": bank.id, "all_ids": list(shown), "ids": others}
    with connection.cursor() as cursor:
        cursor.execute(FIND, asked)
        there = dict(cursor.fetchall())
    return all(one in there and text in {None, there[one]} for one, text in shown.items())


@dataclass(frozen=True)
class AuthorView:
    """`tags` are the tags of each tagged memory that the author read.

    `by_tags`: the question came with a tag filter, so its answer is not for everybody.
    """

    tags: frozenset[Tags] = frozenset()
    question: str = ""
    by_tags: bool = False

    def choose_tags(self, named: Tags, words: str, evidence: Collection[str]) -> Tags:
        """The tags of a claim whose evidence shares the tags `named`.

        These tags suffice where their readers may see everything that the author read, or where the claim uses only
        words of its evidence and of the question. Otherwise the claim gets the tags that all of it shares.
        """
        is_open = bool(named) or not self.by_tags
        if self._may_all_read(named) or (is_open and self._is_covered(words, evidence)):
            return named
        return share_tags((named, *self.tags))

    def may_show(self, tags: Tags, words: str, evidence: Collection[str]) -> bool:
        """Whether these words may stand in the history of an opinion with these tags."""
        return tags == UNDER_SEVERAL or self._may_all_read(tags) or self._is_covered(words, evidence)

    def _may_all_read(self, reader: Tags) -> bool:
        return all(may_read(reader, said) for said in self.tags)

    def _is_covered(self, words: str, evidence: Collection[str]) -> bool:
        """A question under a tag filter is itself not for everybody."""
        return is_covered(words, evidence if self.by_tags else [*evidence, self.question])


def read_view(bank: Bank, shown: Shown, *, question: str, by_tags: bool) -> AuthorView:
    if not shown or not uses_tags(bank):
        return AuthorView(question=question, by_tags=by_tags)
    units = set(MemoryUnit.objects.of_bank(bank).filter(id__in=shown).values_list("id", flat=True))
    readers = find_units_of_sources(bank, shown.keys() - units)
    tags = set(read_tags(bank, {*units, *chain(*readers.values())}).values())
    unknown = {UNDER_SEVERAL} if shown.keys() - units - readers.keys() else set()
    return AuthorView(frozenset(tags | unknown), question, by_tags)


def find_units_of_sources(bank: Bank, source_ids: Collection[UUID]) -> dict[UUID, set[UUID]]:
    """The units extracted from each chunk or message, or stating each relationship. Their tags say who may see it.

    The units of a conversation's chunk rest on its messages.
    """
    messages: defaultdict[UUID, set[UUID]] = defaultdict(set, {one: {one} for one in source_ids})
    parts = ChunkPart.objects.for_tenant(bank.tenant_id).filter(chunk_id__in=source_ids)
    for message_id, chunk_id in parts.values_list("message_id", "chunk_id"):
        messages[message_id].add(chunk_id)
    sources = UnitSource.objects.for_tenant(bank.tenant_id)
    ties = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(relationship_id__in=source_ids)
    found: defaultdict[UUID, set[UUID]] = defaultdict(set)
    for source_id, unit_id in chain(
        sources.filter(chunk_id__in=source_ids).values_list("chunk_id", "unit_id"),
        sources.filter(message_id__in=messages).values_list("message_id", "unit_id"),
        ties.values_list("relationship_id", "unit_id"),
    ):
        for one in messages[source_id] if source_id else ():
            found[one].add(unit_id)
    return dict(found)
