from retrieval.channels.search import Search
from retrieval.lookups.floor import find_best, keep_near
from retrieval.types import Hit


def search_semantic(search: Search) -> list[Hit]:
    """Units by cosine (formula 9), those that are at least somewhat near."""
    nearest = search.lookups.nearest_units()
    return [Hit("unit", hit.id, hit.score) for hit in keep_near(nearest, find_best(nearest))]
