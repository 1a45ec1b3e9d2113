from datetime import datetime

import pytest

from banks.retain.engines.llm.dating import find_occurrence, settle_dates
from banks.retain.types import Dimensions
from providers.llm.prompting.moments import Occurrence
from tests.banks.retain.engines.llm.factory import SUNDAY, ZONE

FRIDAY = Occurrence(datetime(2024, 6, 7, tzinfo=ZONE), datetime(2024, 6, 8, tzinfo=ZONE))


@pytest.mark.parametrize(
    ("when", "settled"),
    [
        ("2024-06-07", "Friday, June 7, 2024"),
        ("7 June 2024", "Friday, June 7, 2024"),
        ("Saturday, 7 June 2024", "Friday, June 7, 2024"),
        ("yesterday", "Saturday, June 8, 2024"),
        ("Freitag, 7. Juni 2024", "Freitag, 7. Juni 2024"),
        ("the evening of 7 June 2024", "the evening of 7 June 2024"),
        ("June 2024", "June 2024"),
        ("when it rained", "when it rained"),
        ("", ""),
    ],
)
def test_a_day_has_its_true_weekday_and_other_words_stay(when: str, settled: str) -> None:
    assert settle_dates(Dimensions("Emily moved out.", when), said_at=SUNDAY).when == settled


@pytest.mark.parametrize(
    ("what", "when", "settled"),
    [
        ("Emily left yesterday.", "", "Emily left yesterday (Saturday, June 8, 2024)."),
        ("Emily left yesterday.", "Saturday, 8 June 2024", "Emily left yesterday."),
        ("Emily left yesterday, 8 June 2024.", "", "Emily left yesterday, 8 June 2024."),
        ("Emily left.", "", "Emily left."),
    ],
)
def test_a_relative_date_gets_its_day_where_no_other_date_tells_it(what: str, when: str, settled: str) -> None:
    assert settle_dates(Dimensions(what, when), said_at=SUNDAY).what == settled


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
