"""One passage through the engine, with the facts that the bank knows and the entities that the caller named."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from banks.entities.resolution.given import attach_given, read_given
from banks.enums import FACTUAL
from banks.facts import hash_tags
from banks.models import Bank, MemoryUnit
from banks.models.unit import UnitQuerySet
from banks.retain.engine import Extraction
from banks.retain.input import Instructions
from banks.retain.tools import Tools
from banks.types import KnownFact, Passage
from banks.vector_index.nearest import find_neighbours
from banks.vectors import embed_texts
from providers.embedding.protocol import Embedder
from providers.usage import Usage
from tenants.transactions import tenant_transaction

MOST_KNOWN = 30
NEAREST = 60  # to a turn, of which some may have other tags
NEAREST_TO_A_TURN = 4


def read_passage(bank: Bank, passage: Passage, instructions: Instructions, tools: Tools) -> Extraction:
    if not instructions.infer:
        return Extraction(is_done=False)
    passage = replace(passage, settings=instructions.settings)
    beside = KnownFacts(bank, tools.embedder, instructions.labels.tags)
    extraction = tools.engine.extract(passage, mode=instructions.mode, find_known=beside.find, step=tools.step)
    given = read_given(bank, instructions.entities, seen_at=passage.turns[-1].said_at)
    return replace(extraction, facts=attach_given(extraction.facts, given), usage=extraction.usage + beside.usage)


class KnownFacts:
    """The known facts that a model sees beside a passage. `usage` is that of the embedder.

    A model may repeat their words. So they have the tags of the passage, or none: whoever may see the new facts may see
    them too.
    """

    def __init__(self, bank: Bank, embedder: Embedder, tags: Sequence[str]) -> None:
        self._bank = bank
        self._embedder = embedder
        self._visible = [b"", hash_tags(tags)]
        self.usage = Usage()

    def find(self, texts: Sequence[str]) -> list[KnownFact]:
        """The current facts that are nearest to any of the texts: the nearest of each text first, then the second."""
        with tenant_transaction(self._bank.tenant_id):
            if not self._read_visible().exists():
                return []
        embedded = embed_texts(self._bank.tenant_id, self._embedder, texts)
        self.usage += embedded.usage
        with tenant_transaction(self._bank.tenant_id):
            near = find_neighbours(self._bank, embedded.vectors, nearest=NEAREST, least_cosine=0.0)
            ids = {one.unit_id for neighbours in near for one in neighbours}
            units = self._read_visible().filter(id__in=ids).defer("embedding", "second_embedding").in_bulk()
            ranks: dict[UUID, tuple[int, float]] = {}
            for neighbours in near:
                visible = [one for one in neighbours if one.unit_id in units][:NEAREST_TO_A_TURN]
                for place, one in enumerate(visible):
                    ranks[one.unit_id] = min((place, -one.cosine), ranks.get(one.unit_id, (place, 0.0)))
            found = [units[unit_id] for unit_id in sorted(ranks, key=lambda unit_id: (*ranks[unit_id], unit_id))]
        return [KnownFact(unit.id, unit.rendered_text, unit.mentioned_at) for unit in found[:MOST_KNOWN]]

    def _read_visible(self) -> UnitQuerySet:
        units = MemoryUnit.objects.of_bank(self._bank).current()
        return units.filter(network__in=FACTUAL, tags_hash__in=self._visible)
