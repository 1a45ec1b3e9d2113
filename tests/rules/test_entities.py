import pytest

from rules.entities import find_entities
from rules.parser import parse


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Our Wi-Fi is down, so I called Deutsche Telekom.", {"Wi-Fi", "Deutsche Telekom"}),
        ("My Spider-Man costume arrived.", {"Spider-Man"}),
        ("I saw Dr. Meyer on Tuesday.", {"Meyer"}),
        ("Nothing happened, and I went to bed.", set()),
    ],
)
def test_a_name_is_whole_and_a_title_is_none(text: str, names: set[str]) -> None:
    assert {one.name for one in find_entities(parse([text])[0], speaker="", people=(), given=())} == names
