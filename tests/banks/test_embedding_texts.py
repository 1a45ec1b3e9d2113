"""The text that is embedded is the same for an extracted fact and for its stored row."""

from datetime import UTC, datetime, timedelta, timezone, tzinfo

import pytest

from banks.embedding_texts import build_chunk_text, build_entity_text, build_episode_text, build_unit_text

BERLIN, NEW_YORK = timezone(timedelta(hours=2)), timezone(timedelta(hours=-4))


@pytest.mark.parametrize("zone", [UTC, BERLIN, NEW_YORK], ids=["UTC", "Berlin", "New York"])
@pytest.mark.parametrize(("day", "length"), [(1, 1), (30, 1), (1, 30)], ids=["first day", "last day", "month"])
def test_a_fact_and_its_row_have_the_month_of_the_mention(zone: tzinfo, day: int, length: int) -> None:
    start = datetime(2025, 6, day, tzinfo=zone)
    end = start + timedelta(days=length)
    told = build_unit_text("Ana ran.", "world", occurred_start=start, occurred_end=end)
    row = {"occurred_start": start.astimezone(UTC), "occurred_end": end.astimezone(UTC)}
    assert told == build_unit_text("Ana ran.", "world", **row) == "Ana ran. (happened in June 2025)"


@pytest.mark.parametrize(
    ("network", "told"),
    {
        "world": "It rained. (happened in June 2025)",
        "experience": "It rained. (happened in June 2025)",
        "opinion": "It rained.",
        "observation": "It rained.",
    }.items(),
)
def test_only_facts_have_a_month(network: str, told: str) -> None:
    assert build_unit_text("It rained.", network, occurred_start=datetime(2025, 6, 30, 23, tzinfo=UTC)) == told
    assert build_unit_text("It rained.", network) == "It rained."


def test_texts_of_the_other_rows() -> None:
    assert build_chunk_text("a", heading="# May", context="A call.") == "A call.\n# May\na"
    assert build_chunk_text("a", heading="# May") == "# May\na"
    assert (build_episode_text("They met.", thread="t"), build_episode_text("", thread="t")) == ("They met.", "t")
    assert (build_entity_text("Ana", "Ana runs."), build_entity_text("Ana", "")) == ("Ana: Ana runs.", "Ana")
