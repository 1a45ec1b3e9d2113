"""Whether an opinion may get the words that a model gave it."""

from collections.abc import Sequence

import numpy as np

from banks.dates.in_words import write_day_of_week
from banks.models import Bank, MemoryUnit
from providers.embedding.vector import Vector
from reflection.background.keeping import find_untold, read_matter
from reflection.opinions.held import read_entities
from reflection.opinions.naming import read_names
from reflection.opinions.weighing.assessing import NewFact

OF_THE_SAME = 0.7  # cosine from which a new text is about the matter of the old one


def is_of_the_same(opinion: MemoryUnit, vector: Vector) -> bool:
    """Whether the new text is about the same matter."""
    if opinion.embedding is None:
        return False
    held = np.asarray(opinion.embedding, dtype=np.float32)
    lengths = float(np.linalg.norm(held) * np.linalg.norm(vector))
    return float(held @ vector) >= OF_THE_SAME * lengths


def find_invented(bank: Bank, opinion: MemoryUnit, text: str, facts: Sequence[NewFact]) -> frozenset[str]:
    """Names and numbers of the new text that neither the old one has, nor the facts and the days on which they were
    told, nor those whom it is about, by whichever name. Call inside a tenant transaction.
    """
    names = read_names(bank, read_entities(bank, [opinion.id]).get(opinion.id, ()))
    told = [opinion.text, *(name for some in names.values() for name in some)]
    for fact in facts:
        told += [fact.text, write_day_of_week(fact.mentioned_at)]
    return find_untold(text, read_matter(" . ".join(told)))
