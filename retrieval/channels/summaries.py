from banks.models import Corpus
from retrieval.brought import order_brought
from retrieval.declaration import Declaration
from retrieval.lookups.shared import Lookups
from retrieval.types import Channel, Hit


def search_summaries(lookups: Lookups) -> list[Hit]:
    """Episodes by their narrative and relationships by their sentence."""
    lookups.check_archive(*SUMMARISING)
    resolved = lookups.resolved()
    return order_brought(lookups.sources().summaries, resolved)[: lookups.asked.limits.rows]


SUMMARISING = (Corpus.EPISODE, Corpus.RELATIONSHIP)
SUMMARIES = Declaration(
    Channel.SUMMARIES, search_summaries, by_meaning=frozenset(SUMMARISING), by_words=frozenset(SUMMARISING)
)
