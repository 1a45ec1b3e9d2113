"""What the bank knows already about a passage, for the prediction of the calibrated mode."""

from collections.abc import Sequence

import numpy as np
from pgvector.django import CosineDistance

from banks.models import Bank, MemoryUnit
from banks.retain.engines.protocol import KnownFact
from banks.words import Network
from providers.embedding.vector import Vector
from tenants.transactions import tenant_transaction

MOST = 30


def find_known_facts(bank: Bank, vectors: Sequence[Vector]) -> list[KnownFact]:
    """The nearest first: those are the ones that a prediction rests on."""
    middle = np.mean(np.asarray(vectors), axis=0)
    with tenant_transaction(bank.tenant_id):
        units = MemoryUnit.objects.of_bank(bank).current().exclude(network=Network.OBSERVATION)
        nearest = units.order_by(CosineDistance("embedding", middle))[:MOST]
        return [KnownFact(str(unit.id), unit.text) for unit in nearest]
