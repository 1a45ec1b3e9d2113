from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banks.chunking.spans import TurnChunk, hash_chunk, heading
from banks.chunking.turns import chunk_turns
from banks.types import Turn
from tests.banks.chunking.prose import make_paragraphs

NOON = datetime(2024, 6, 8, 12, tzinfo=UTC)


def make_turns(texts: Sequence[str], *, apart: timedelta = timedelta(minutes=1), speaker: str = "") -> list[Turn]:
    names = ("Ann", "Ben")
    return [Turn("user", speaker or names[index % 2], text, NOON + index * apart) for index, text in enumerate(texts)]


def assert_sound(turns: list[Turn], chunks: list[TurnChunk]) -> None:
    uncovered = [set(range(len(turn.text))) for turn in turns]
    for chunk in chunks:
        assert 0 < len(chunk.text) <= 1600
        for part in chunk.parts:
            assert chunk.text[part.start : part.end] == turns[part.turn_index].text[part.turn_start : part.turn_end]
            uncovered[part.turn_index] -= set(range(part.turn_start, part.turn_end))
    for turn, missing in zip(turns, uncovered, strict=True):
        assert not "".join(turn.text[index] for index in missing).strip()


def test_a_chunk_is_whole_turns_with_their_speakers() -> None:
    turns = make_turns(["Hello there.", "Hi, how are you?"])
    (chunk,) = chunk_turns(turns)
    assert chunk.text == "Ann: Hello there.\nBen: Hi, how are you?"
    assert_sound(turns, [chunk])


def test_turns_that_fit_are_never_cut() -> None:
    turns = make_turns(make_paragraphs(200))
    chunks = chunk_turns(turns)
    assert_sound(turns, chunks)
    assert all((p.turn_start, p.turn_end) == (0, len(turns[p.turn_index].text)) for c in chunks for p in c.parts)
    assert sum(len(chunk.text) for chunk in chunks) / len(chunks) > 1000


def test_a_chunk_repeats_a_little_of_the_one_before() -> None:
    chunks = chunk_turns(make_turns(["A short turn of a talk that goes on."] * 200))
    shared = [
        {part.turn_index for part in before.parts} & {part.turn_index for part in after.parts}
        for before, after in pairwise(chunks)
    ]
    assert {len(turns) for turns in shared} == {2}


@pytest.mark.parametrize("length", [1200, 1400, 1590, 1596, 1700, 4000])
def test_short_turns_before_a_long_one_leave_it_its_room(length: int) -> None:
    turns = make_turns(["A short turn of a talk.", "x" * 300, "y" * length] * 4)
    assert_sound(turns, chunk_turns(turns))


def test_a_turn_that_is_too_long_is_cut_by_the_rules_of_text() -> None:
    paragraphs = make_paragraphs(12)
    turns = make_turns(["Tell me.", "\n\n".join(paragraphs), "Thanks!"])
    chunks = chunk_turns(turns)
    assert_sound(turns, chunks)
    assert all(chunk.text.startswith(("Ann: ", "Ben: ")) for chunk in chunks)
    assert chunks[-1].text.endswith("\nAnn: Thanks!")
    cut = [chunk for chunk in chunks if len(chunk.parts) == 1]
    assert cut
    assert all(chunk.text.endswith(tuple(paragraphs)) for chunk in cut)


def test_days_do_not_share_a_chunk() -> None:
    turns = make_turns(["Good morning."] * 6, apart=timedelta(hours=9))
    chunks = chunk_turns(turns)
    assert [len({turns[part.turn_index].said_at.date() for part in chunk.parts}) for chunk in chunks] == [1, 1, 1]
    assert [len(chunk.parts) for chunk in chunks] == [2, 2, 2]


def test_blank_turns_are_in_no_chunk() -> None:
    turns = make_turns(["Hello.", " \n", "", "Bye."])
    (chunk,) = chunk_turns(turns)
    assert [part.turn_index for part in chunk.parts] == [0, 3]
    assert chunk_turns(turns[1:3]) == []


def test_a_turn_that_is_added_changes_only_the_last_chunk() -> None:
    turns = make_turns(make_paragraphs(100))
    before = [hash_chunk(chunk.text) for chunk in chunk_turns(turns[:-1])]
    after = [hash_chunk(chunk.text) for chunk in chunk_turns(turns)]
    assert after[: len(before) - 1] == before[:-1]


def test_a_turn_that_goes_missing_changes_few_chunks() -> None:
    turns = make_turns(make_paragraphs(200), speaker="Ann")
    known = {hash_chunk(chunk.text) for chunk in chunk_turns(turns)}
    chunks = chunk_turns(turns[1:])
    assert sum(hash_chunk(chunk.text) not in known for chunk in chunks) <= 6
    assert len(chunks) > 30


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.text(alphabet="ab. \n😀é", max_size=9).map(lambda text: text * 90), max_size=12), st.text(max_size=200)
)
def test_any_turns_are_covered_within_the_size(texts: list[str], speaker: str) -> None:
    turns = make_turns(texts, speaker=speaker)
    assert_sound(turns, chunk_turns(turns))


@pytest.mark.parametrize(
    ("said_at", "expected"),
    [
        (datetime(2024, 6, 8, 23, 59, tzinfo=UTC), "# Saturday, June 8, 2024"),
        (datetime(1, 1, 1, tzinfo=UTC), "# Monday, January 1, 1"),
        (datetime(9999, 12, 31, tzinfo=UTC), "# Friday, December 31, 9999"),
    ],
)
def test_the_heading_names_the_day(said_at: datetime, expected: str) -> None:
    assert heading(said_at) == expected
