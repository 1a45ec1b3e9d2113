"""A month in its own sentences: what was said, by whom and when, and nothing of how narratives begin."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from banks.models import Episode
from banks.retain.episodes import build_narrative
from banks.retain.types import Turn
from reflection.forgetting.telling_month import tell_most

MARCH = datetime(2026, 3, 1, 10, tzinfo=UTC)


def talk(day: int, *said: tuple[str, str]) -> Episode:
    at = MARCH + timedelta(days=day)
    turns = [Turn("user", speaker, text, at) for speaker, text in said]
    return Episode(narrative=build_narrative(turns), started_at=at, ended_at=at)


def tell(episodes: Sequence[Episode], room: int = 1_200) -> str:
    return tell_most(episodes, room=room)


def test_what_was_said_is_told_with_its_day_and_speaker() -> None:
    episodes = [
        talk(0, ("Ann", "I visited Lyon and bought a red hat there.")),
        talk(4, ("Ann", "My brother Karl opened a bakery."), ("Bob Lee", "We should order a cake for the party.")),
    ]
    assert tell(episodes) == (
        "March 1, Ann: I visited Lyon and bought a red hat there. March 5, Ann: My brother Karl opened a bakery. "
        "March 5, Bob Lee: We should order a cake for the party."
    )


def test_no_opening_is_told_whoever_took_part() -> None:
    names = ["Ann", "Dr. Bob Lee", "Cai", "Dora", "Änne and Co"]
    episodes = [
        talk(day, *((name, f"The {thing} of {name} costs {day} euros.") for name in names[: day + 1]))
        for day, thing in enumerate(("kayak", "piano", "tent", "lamp", "sofa"))
    ]
    told = tell(episodes)
    assert "spoke." not in told
    assert "talked." not in told
    assert "The kayak of Ann costs 0 euros." in told


def test_sentences_that_differ_in_a_number_are_all_told_where_there_is_room() -> None:
    episodes = [talk(day, ("Ann", f"I visited city number {day} by train.")) for day in range(5)]
    assert [f"city number {day}" in tell(episodes) for day in range(5)] == [True] * 5


def test_the_most_telling_comes_before_small_talk_where_room_is_short() -> None:
    episodes = [
        talk(0, ("Ann", "Well, that is nice, thank you very much indeed.")),
        talk(1, ("Ann", "The Lisbon office opens in June 2027 with 40 people.")),
        talk(2, ("Bob", "The Lisbon office needs a new manager, says Greta.")),
    ]
    told = tell(episodes, room=140)
    assert "Lisbon office" in told
    assert "thank you" not in told


@pytest.mark.parametrize("room", [10, 100, 300, 1_200])
def test_the_room_holds_for_all_but_a_first_sentence(room: int) -> None:
    episodes = [talk(day, ("Ann", f"The boat of harbour {day} sailed to island {day * 7}.")) for day in range(40)]
    told = tell(episodes, room=room)
    assert told
    assert len(told) <= max(room, 70)


def test_a_narrative_without_an_opening_is_told_as_it_is() -> None:
    episode = Episode(narrative="Ann sold her boat: it was old.", started_at=MARCH, ended_at=MARCH)
    assert tell([episode]) == "March 1: Ann sold her boat: it was old."
