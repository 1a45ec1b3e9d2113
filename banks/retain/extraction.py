"""One passage through the engine, with the facts that the bank knows and the entities that the caller named."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from pgvector.django import CosineDistance

from banks.entities.resolution.given import attach_given, read_given
from banks.enums import Network
from banks.models import Bank, MemoryUnit
from banks.retain.engine import Extraction
from banks.retain.input import Instructions
from banks.retain.tools import Tools
from banks.types import Passage
from banks.vectors import embed_texts
from providers.embedding.protocol import Embedder
from tenants.transactions import tenant_transaction

MOST_KNOWN = 30  # facts that a prediction rests on


def read_passage(bank: Bank, passage: Passage, instructions: Instructions, tools: Tools) -> Extraction:
    if not instructions.infer:
        return Extraction(is_done=False)
    passage = replace(passage, settings=instructions.settings)
    find_known = partial(find_known_facts, bank, tools.embedder)
    extraction = tools.engine.extract(passage, mode=instructions.mode, find_known=find_known, step=tools.step)
    given = read_given(bank, instructions.entities, seen_at=passage.turns[-1].said_at)
    return replace(extraction, facts=attach_given(extraction.facts, given))


def find_known_facts(bank: Bank, embedder: Embedder, texts: Sequence[str]) -> list[str]:
    """The rendered texts of the current units that are nearest to the mean of these texts, nearest first."""
    middle = np.mean(np.asarray(embed_texts(bank.tenant_id, embedder, texts).vectors), axis=0)
    with tenant_transaction(bank.tenant_id):
        units = MemoryUnit.objects.of_bank(bank).current().exclude(network=Network.OBSERVATION)
        nearest = units.order_by(CosineDistance(bank.vector_column, middle))[:MOST_KNOWN]
        return [unit.rendered_text for unit in nearest]
