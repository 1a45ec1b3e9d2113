from retrieval.channels.search import Search
from retrieval.types import Hit

LEAST_COSINE = 0.3  # TEMPR 3.1.1


def search_semantic(search: Search) -> list[Hit]:
    """Units by cosine (formula 9), those that are at least somewhat near."""
    return [Hit("unit", hit.id, hit.score) for hit in search.lookups.nearest_units() if hit.score >= LEAST_COSINE]
