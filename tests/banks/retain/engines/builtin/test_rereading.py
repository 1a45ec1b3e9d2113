"""A text that a person wrote over that of a memory."""

from datetime import UTC, datetime

import pytest

from banks.retain.engines.builtin.rereading import read_again
from banks.retain.types import ExtractedFact, FoundEntity
from banks.words import EntityKind, Network

SAID_AT = datetime(2026, 1, 2, tzinfo=UTC)
BEGAN = datetime(2025, 3, 1, tzinfo=UTC)
MAY = datetime(2024, 5, 1, tzinfo=UTC)


def read(text: str, *known: str, network: Network = Network.WORLD) -> ExtractedFact:
    fact = ExtractedFact(text, network, SAID_AT, occurred_start=BEGAN)
    return read_again(fact, [FoundEntity(name, EntityKind.PERSON) for name in known])


@pytest.mark.parametrize(
    ("text", "known", "names"),
    [
        ("In the park of Porto she met Bob and Ana Reis.", [], {"Ana Reis", "Bob", "Porto"}),
        ("the team met in Porto.", ["team", "Bob"], {"team", "Porto"}),
        ("Alice Cooper sings in Porto.", ["Alice"], {"Alice Cooper", "Porto"}),
        ("Die Mannschaft traf sich gestern mit Bob und den anderen im Park.", ["Bob", "Ana"], {"Bob"}),
    ],
)
def test_it_names_whom_retain_would_find_and_those_of_the_known_that_it_still_has(
    text: str, known: list[str], names: set[str]
) -> None:
    assert {entity.name for entity in read(text, *known).entities} == names


@pytest.mark.parametrize(
    ("text", "network", "told"),
    [
        ("Ana moved to Porto.", Network.WORLD, [("Ana", "lives_in", "Porto", BEGAN)]),
        ("Ana moved to Porto in May 2024.", Network.WORLD, [("Ana", "lives_in", "Porto", MAY)]),
        ("Ana lives in Porto.", Network.WORLD, [("Ana", "lives_in", "Porto", None)]),
        ("Ana: I live in Porto.", Network.WORLD, [("Ana", "lives_in", "Porto", None)]),
        ("I told Bob that Ana lives in Porto.", Network.EXPERIENCE, []),
    ],
)
def test_it_tells_what_retain_would_hear_as_of_its_own_time(
    text: str, network: Network, told: list[tuple[str, str, str, datetime | None]]
) -> None:
    found = read(text, "Ana", network=network).relationships
    assert [(one.subject, one.relation, one.object, one.valid_from) for one in found] == told
