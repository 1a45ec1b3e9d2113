from datetime import UTC, datetime

import pytest

from providers.llm.prompting.moments import Occurrence, read_occurrence
from tests.banks.retain.llm.factory import ZONE


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZONE)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("2024-06-07", "", (at("2024-06-07"), at("2024-06-08"))),
        ("2024-06-07", "2024-06-07", (at("2024-06-07"), at("2024-06-08"))),
        ("2024-06-07", "2024-06-09", (at("2024-06-07"), at("2024-06-10"))),
        ("2024/6/7", "", (at("2024-06-07"), at("2024-06-08"))),
        ("2024-12", "", (at("2024-12-01"), at("2025-01-01"))),
        ("2024-05", "2024-06", (at("2024-05-01"), at("2024-07-01"))),
        ("2019", "", (at("2019-01-01"), at("2020-01-01"))),
        ("0079-08-24", "", (at("0079-08-24"), at("0079-08-25"))),
        ("2024-06-07T18:30", "2024-06-07T20:00", (at("2024-06-07T18:30"), at("2024-06-07T20:00"))),
        ("2024-06-07 18:30:00", "", (at("2024-06-07T18:30"), None)),
        ("2024-06-07T00:00:00", "2024-06-07T23:59:59", (at("2024-06-07"), at("2024-06-08"))),
        ("", "2024-06-09", (None, at("2024-06-10"))),
    ],
)
def test_a_date_without_a_zone_is_the_turns(start: str, end: str, expected: tuple[datetime, datetime]) -> None:
    assert read_occurrence(start, end, zone=ZONE) == Occurrence(*expected)


def test_a_zone_that_is_written_is_kept() -> None:
    occurred = read_occurrence("2024-06-07T18:30:00Z", "2024-06-07T20:00:00-05:00", zone=ZONE)
    assert occurred.start == datetime(2024, 6, 7, 18, 30, tzinfo=UTC)
    assert occurred.end == datetime(2024, 6, 8, 1, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "nonsense",
    [
        "",
        "soon",
        "2024-13-01",
        "2023-02-29",
        "0000",
        "0001-01-01",
        "9999-12-31",
        "9998-12-31T23:59",
        "20240607T99",
        "2024-06-07T12:00+16:00",
        "-5",
    ],
)
def test_nonsense_is_no_date(nonsense: str) -> None:
    assert read_occurrence(nonsense, nonsense, zone=ZONE) == Occurrence(None, None)


@pytest.mark.parametrize("end", ["2024-06-01", "whenever", "2024-06-07T12:00"])
def test_an_end_that_is_not_after_the_start_is_dropped_and_the_start_is_kept(end: str) -> None:
    occurred = read_occurrence("2024-06-07T12:00", end, zone=ZONE)
    assert occurred == Occurrence(at("2024-06-07T12:00"), None)
