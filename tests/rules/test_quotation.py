"""Where long messages are cut, who introduces themselves, and which answers need their question."""

import pytest

from rules.parser import parse
from rules.parts import cut_text
from rules.turns import find_introduction

METHODS = "".join(
    f"    def method_{number}(self):\n        return {number} + len(self.rows)\n\n" for number in range(40)
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I'm Maya.", "Maya"),
        ("Hi! I'm Nadia, I'm 41 and I live in Ghent.", "Nadia"),
        ("Hey, I'm Priya from Leeds.", "Priya"),
        ("I am Robert Chen.", "Robert Chen"),
        ("My name is Sean.", "Sean"),
        ("I'm Irish, my name is Sean.", "Sean"),
        ("I'm Irish.", ""),
        ("I'm German and I work nights.", ""),
        ("I'm OK.", ""),
        ("I'm Dr. Lee's patient.", ""),
        ("I'm off on Monday.", ""),
    ],
)
def test_a_speaker_introduces_themselves_with_a_name_only(text: str, name: str) -> None:
    assert find_introduction(parse([text])[0]) == name


def test_a_part_of_code_keeps_the_indent_of_its_first_line() -> None:
    text = f"class Table:\n{METHODS}"
    parts = [text[start:end] for start, end in cut_text(text)]
    assert len(parts) > 2
    assert all(part.startswith("    def method_") for part in parts[1:])


def test_blanks_around_a_message_are_no_part_of_it() -> None:
    assert list(cut_text("  \n hello \n ")) == [(4, 9)]
    assert list(cut_text(" \n ")) == []


def test_no_part_ends_behind_an_abbreviation() -> None:
    text = "Mr. Smith of Acme Inc. told Dr. Lee about it, e.g. about tea and about the weather. " * 30
    parts = [text[start:end] for start, end in cut_text(text)]
    assert len(parts) > 2
    assert all(part.endswith("weather.") for part in parts)
