"""What the author of an answer read, and who may see what he made of it: his words may be those of any of it."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import chain
from uuid import UUID

from banks.models import Bank, ChunkPart, MemoryUnit, RelationshipSource, UnitSource
from reflection.opinions.forming.shown import Shown
from reflection.opinions.history.covering import is_covered
from reflection.opinions.tagging import UNDER_SEVERAL, Tags, may_read, read_tags, share_tags, uses_tags


@dataclass(frozen=True)
class AuthorView:
    """`tags` are those of all that he read and that has any. `by_tags`: he was asked under a tag filter, so that what
    he thinks is not for everybody, whatever he names.
    """

    tags: frozenset[Tags] = frozenset()
    question: str = ""
    by_tags: bool = False

    def choose_tags(self, named: Tags, words: str, evidence: Collection[str]) -> Tags:
        """Of an opinion in these words on evidence that shares the tags `named`: these, if who sees it by them may see
        all that was read, or if it has the words of its evidence and of the question alone. Else what all shares.
        """
        is_open = bool(named) or not self.by_tags
        if self._may_all_read(named) or (is_open and self._is_covered(words, evidence)):
            return named
        return share_tags((named, *self.tags))

    def may_tell(self, tags: Tags, words: str, evidence: Collection[str]) -> bool:
        """Whether these words may stand in the history of an opinion under these tags."""
        return tags == UNDER_SEVERAL or self._may_all_read(tags) or self._is_covered(words, evidence)

    def _may_all_read(self, reader: Tags) -> bool:
        return all(may_read(reader, said) for said in self.tags)

    def _is_covered(self, words: str, evidence: Collection[str]) -> bool:
        """A question under a tag filter is itself not for everybody."""
        return is_covered(words, evidence if self.by_tags else [*evidence, self.question])


def read_view(bank: Bank, shown: Shown, *, question: str, by_tags: bool) -> AuthorView:
    """Call inside a tenant transaction."""
    if not shown or not uses_tags(bank):
        return AuthorView(question=question, by_tags=by_tags)
    units = set(MemoryUnit.objects.of_bank(bank).filter(id__in=shown).values_list("id", flat=True))
    told_by = find_tellers(bank, shown.keys() - units)
    tags = set(read_tags(bank, {*units, *chain(*told_by.values())}).values())
    unknown = {UNDER_SEVERAL} if shown.keys() - units - told_by.keys() else set()
    return AuthorView(frozenset(tags | unknown), question, by_tags)


def find_tellers(bank: Bank, raw_ids: Collection[UUID]) -> dict[UUID, set[UUID]]:
    """The units that were read from each passage or message, or that tell a relationship: they know who may see it."""
    found: defaultdict[UUID, set[UUID]] = defaultdict(set)
    sources = UnitSource.objects.for_tenant(bank.tenant_id)
    ties = RelationshipSource.objects.for_tenant(bank.tenant_id).filter(relationship_id__in=raw_ids)
    pairs: Iterable[tuple[UUID | None, UUID]] = chain(
        sources.filter(chunk_id__in=raw_ids).values_list("chunk_id", "unit_id"),
        sources.filter(message_id__in=raw_ids).values_list("message_id", "unit_id"),
        ties.values_list("relationship_id", "unit_id"),
        find_tellers_of_talk(bank, raw_ids),
    )
    for raw_id, unit_id in pairs:
        if raw_id is not None:
            found[raw_id].add(unit_id)
    return dict(found)


def find_tellers_of_talk(bank: Bank, chunk_ids: Collection[UUID]) -> list[tuple[UUID, UUID]]:
    """Passages of a conversation: the units were read from its messages."""
    parts = ChunkPart.objects.for_tenant(bank.tenant_id).filter(chunk_id__in=chunk_ids)
    chunks: defaultdict[UUID, set[UUID]] = defaultdict(set)
    for chunk_id, message_id in parts.values_list("chunk_id", "message_id"):
        chunks[message_id].add(chunk_id)
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(message_id__in=chunks)
    rows = sources.values_list("message_id", "unit_id")
    return [(chunk_id, unit_id) for message_id, unit_id in rows if message_id for chunk_id in chunks[message_id]]
