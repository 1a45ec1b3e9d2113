from banks.models import Corpus
from retrieval.brought import order_brought
from retrieval.declaration import Declaration
from retrieval.lookups.shared import Lookups
from retrieval.types import Channel, Hit


def search_archive(lookups: Lookups) -> list[Hit]:
    """Chunks by cosine; the units of one chunk in the order of their own."""
    lookups.nearest(Corpus.CHUNK)
    resolved = lookups.resolved()
    return order_brought(lookups.sources().chunks_by_meaning, resolved)[: lookups.asked.limits.rows]


ARCHIVE = Declaration(Channel.ARCHIVE, search_archive, by_meaning=frozenset({Corpus.CHUNK}))
