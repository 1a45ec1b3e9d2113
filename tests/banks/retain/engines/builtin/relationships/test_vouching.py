"""Words of others, jokes and exercises tell nothing of the speaker."""

import pytest

from tests.banks.retain.engines.builtin.found import find_held, find_over


@pytest.mark.parametrize(
    "text",
    [
        "It's not true that I'm moving to Rome next month.",
        'Tom said: "I live in Rome."',
        "Tom wrote me \u201cI am moving to Rome next month\u201d.",
        "Tom told me: I'm moving to Rome next month.",
        "My mother believes that I live in Rome.",
        "My brother says I'm moving to Rome next month, but that is wrong.",
        "My horoscope says I will leave Siemens in January 2027.",
        "I joked that I'm moving to Rome next month.",
        "I dreamed that I live in Rome.",
        "Translate into German: I'm moving to Rome next month.",
        "Please translate to French: I will leave Siemens in January 2027.",
        "Correct my English: I live in Rome.",
    ],
)
def test_what_the_speaker_does_not_stand_for_is_left(text: str) -> None:
    told_of_ann = [one for one in (*find_held(text), *find_over(text)) if one[0] == "Ann"]
    assert told_of_ann == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I told you that I live in Rome.", ("Ann", "lives_in", "Rome")),
        ("My mother knows that I live in Rome.", ("Ann", "lives_in", "Rome")),
        ("Update: I live in Rome.", ("Ann", "lives_in", "Rome")),
        ("Tom told me that Lena works at Lidl.", ("Lena", "works_at", "Lidl")),
        ('I read "Dune" and I live in Rome.', ("Ann", "lives_in", "Rome")),
    ],
)
def test_what_he_stands_for_is_told_and_so_is_hearsay_of_others(text: str, told: tuple[str, str, str]) -> None:
    assert find_held(text) == [told]
