"""Categories without a language model, by the default embedding model."""

from contextlib import nullcontext
from datetime import UTC, datetime
from uuid import uuid4

from banks.enums import Network
from banks.extraction_settings import ExtractionSettings, Term
from banks.models import Bank
from banks.retain.categories import categorise
from banks.retain.tools import Tools
from banks.types import ExtractedFact
from providers.registry import get_embedder
from rules.engine import BuiltinEngine

TRAVEL, PETS = Term("travel", "Trips, cities and countries."), Term("pets", "Dogs, cats and other animals at home.")
SAID = datetime(2026, 5, 8, tzinfo=UTC)
JOURNEY, CAT, THANKS = (
    "We flew to Spain and saw three cities.",
    "My cat Tom hates his vet.",
    "Thanks, talk to you later!",
)


class ModelEngine(BuiltinEngine):
    name = "some-model"


def choose(*categories: Term, engine: type[BuiltinEngine] = BuiltinEngine) -> list[tuple[str, ...]]:
    """For the three sentences."""
    texts, embedder = [JOURNEY, CAT, THANKS], get_embedder()
    facts = [ExtractedFact(text, Network.WORLD, SAID) for text in texts]
    vectors = embedder.embed_documents(texts).vectors
    tools, bank = Tools(engine(), embedder, nullcontext), Bank(tenant_id=uuid4())
    return [
        one.categories
        for one in categorise(bank, facts, vectors, ExtractionSettings(categories=categories), tools).facts
    ]


def test_a_fact_gets_the_categories_that_are_about_it() -> None:
    assert choose(TRAVEL, PETS) == [("travel",), ("pets",), ()]


def test_the_number_of_categories_makes_no_difference() -> None:
    assert choose(PETS) == [(), ("pets",), ()]
    assert choose(Term("trips_abroad")) == [("trips_abroad",), (), ()]


def test_without_categories_and_with_a_model_nothing_is_chosen() -> None:
    assert choose() == [(), (), ()]
    assert choose(TRAVEL, PETS, engine=ModelEngine) == [(), (), ()]
