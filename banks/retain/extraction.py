"""One passage through the engine, with the facts that the bank knows and the entities that the caller named."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from uuid import UUID

from banks.entities.resolution.given import attach_given, read_given
from banks.enums import FACTUAL
from banks.facts import hash_tags
from banks.models import Bank, MemoryUnit
from banks.retain.engine import Extraction
from banks.retain.input import Instructions
from banks.retain.tools import Tools
from banks.types import KnownFact, Passage
from banks.vector_index.nearest import find_neighbours
from banks.vectors import embed_texts
from providers.embedding.protocol import Embedder
from tenants.transactions import tenant_transaction

MOST_KNOWN = 30
NEAREST_TO_A_TURN = 4


def read_passage(bank: Bank, passage: Passage, instructions: Instructions, tools: Tools) -> Extraction:
    if not instructions.infer:
        return Extraction(is_done=False)
    passage = replace(passage, settings=instructions.settings)
    find_known = partial(find_known_facts, bank, tools.embedder, instructions.labels.tags)
    extraction = tools.engine.extract(passage, mode=instructions.mode, find_known=find_known, step=tools.step)
    given = read_given(bank, instructions.entities, seen_at=passage.turns[-1].said_at)
    return replace(extraction, facts=attach_given(extraction.facts, given))


def find_known_facts(bank: Bank, embedder: Embedder, tags: Sequence[str], texts: Sequence[str]) -> list[KnownFact]:
    """The current facts that are nearest to any of the texts: the nearest of each text first, then the second.

    A model may repeat their words. So they have the tags of the passage, or none: whoever may see the new facts may see
    them too.
    """
    visible = [b"", hash_tags(tags)]
    vectors = embed_texts(bank.tenant_id, embedder, texts).vectors
    with tenant_transaction(bank.tenant_id):
        near = find_neighbours(bank, vectors, nearest=NEAREST_TO_A_TURN, least_cosine=0.0)
        ranks: dict[UUID, tuple[int, float]] = {}
        for place, one in (pair for neighbours in near for pair in enumerate(neighbours)):
            ranks[one.unit_id] = min((place, -one.cosine), ranks.get(one.unit_id, (place, 0.0)))
        facts = MemoryUnit.objects.of_bank(bank).current().filter(network__in=FACTUAL, tags_hash__in=visible)
        units = facts.filter(id__in=ranks).defer("embedding", "second_embedding")
        found = sorted(units, key=lambda unit: (*ranks[unit.id], unit.id))
    return [KnownFact(unit.id, unit.rendered_text, unit.mentioned_at) for unit in found[:MOST_KNOWN]]
