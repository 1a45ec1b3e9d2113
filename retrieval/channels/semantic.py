from banks.models import Corpus
from retrieval.declaration import Declaration
from retrieval.lookups.floor import find_best, keep_near
from retrieval.lookups.shared import Lookups
from retrieval.types import Channel, Hit


def search_semantic(lookups: Lookups) -> list[Hit]:
    """Units by cosine (formula 9), those that are at least somewhat near."""
    nearest = lookups.nearest_units()
    return [Hit("unit", hit.id, hit.score) for hit in keep_near(nearest, find_best(nearest))]


SEMANTIC = Declaration(Channel.SEMANTIC, search_semantic, by_meaning=frozenset({Corpus.UNIT}))
