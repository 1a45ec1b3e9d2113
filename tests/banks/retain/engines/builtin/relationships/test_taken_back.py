"""Announced changes that are not to be."""

import pytest

from banks.retain.relationships.relations import Staying, TakenBack
from tests.banks.retain.engines.builtin.talk import told


def taken_back(text: str) -> list[tuple[type, str, str]]:
    found = (each for fact in told(f"Ann: {text}") for each in fact.relationships)
    return [(type(each), each.relation, each.object) for each in found if isinstance(each, TakenBack | Staying)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm not moving to Rome.", (TakenBack, "lives_in", "Rome")),
        ("I will not move to Rome.", (TakenBack, "lives_in", "Rome")),
        ("We won't be moving to Rome after all.", (TakenBack, "lives_in", "Rome")),
        ("I'm not moving after all.", (TakenBack, "lives_in", "")),
        ("I'm staying in Berlin after all.", (Staying, "lives_in", "Berlin")),
        ("I'm not leaving Siemens.", (Staying, "works_at", "Siemens")),
        ("I'm not quitting my job at Siemens after all.", (Staying, "works_at", "Siemens")),
    ],
)
def test_a_change_is_taken_back(text: str, expected: tuple[type, str, str]) -> None:
    assert taken_back(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "I'm not moving to Rome yet.",
        "I'm not moving to Rome until May.",
        "I'm not moving to Rome next month.",
        "I'm not moving.",
        "I'm not sure that I'm moving to Rome.",
        "I never leave Siemens early.",
        "I'm staying in Rome for a week.",
        "I'm moving to Rome next month.",
        "Tom said I'm not leaving Siemens.",
    ],
)
def test_what_may_still_come_is_not(text: str) -> None:
    assert taken_back(text) == []
