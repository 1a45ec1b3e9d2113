"""Facts of one batch that say the same, however many there are."""

from datetime import UTC, datetime
from time import process_time

import numpy as np
import pytest

from banks.lifecycle.deciding.plan import find_twins
from banks.retain.prepared import PreparedFact
from banks.retain.types import ExtractedFact
from banks.words import Network
from tests.clock import holds_to_a_time

SAID_AT = datetime(2026, 1, 1, tzinfo=UTC)
MANY = 1_500


def prepare(*texts: str) -> list[PreparedFact]:
    """All near to each other in meaning."""
    vector = np.ones(8, dtype=np.float32)
    return [PreparedFact(ExtractedFact(text, Network.WORLD, SAID_AT), vector, ()) for text in texts]


def test_the_later_of_two_that_tell_the_same_is_the_twin() -> None:
    assert find_twins(prepare("Ana has a dog named Rex.", "Bea swam.", "Ana owns a dog called Rex")) == {2: 0}


def test_the_same_words_are_no_twins_but_one_fact() -> None:
    assert find_twins(prepare("Ana ran.", "Ana ran.")) == {}


@holds_to_a_time
@pytest.mark.parametrize("text", ["The fox jumped.", "The fox number {} jumped over the dog."])
def test_a_long_text_of_much_the_same_takes_seconds_at_most(text: str) -> None:
    began = process_time()
    find_twins(prepare(*[text.format(number) for number in range(MANY)]))
    assert process_time() - began < 10
