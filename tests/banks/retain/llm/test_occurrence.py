from datetime import datetime

import pytest

from banks.retain.llm.facts import find_occurrence
from providers.llm.prompting.moments import Occurrence
from tests.banks.retain.llm.factory import SUNDAY, ZONE

FRIDAY = Occurrence(datetime(2024, 6, 7, tzinfo=ZONE), datetime(2024, 6, 8, tzinfo=ZONE))


@pytest.mark.parametrize(
    ("start", "when"),
    [
        ("2024-06-07", "Saturday, 8 June 2024"),
        ("June 7, 2024", ""),
        ("", "Friday, 7 June 2024"),
        ("soon", "Friday, 7 June 2024"),
    ],
)
def test_when_it_happened_is_read_from_the_structured_date_first(start: str, when: str) -> None:
    assert find_occurrence(start, "", when, said_at=SUNDAY) == FRIDAY


@pytest.mark.parametrize("when", ["", "7 June 2024 or 7 June 2025", "7 June 2024 " + "and then " * 40])
def test_when_it_happened_is_not_guessed(when: str) -> None:
    assert find_occurrence("", "", when, said_at=SUNDAY) == Occurrence()
