from dataclasses import replace
from datetime import timedelta

import pytest

from banks.retain.episodes import build_narrative
from tests.banks.chunking.prose import make_paragraphs
from tests.banks.retain.episodes.talk import make_turn

CAMPING = [
    make_turn("Hey Ben! How was your weekend?", speaker="Ann"),
    make_turn("We took the kids camping at Lake Alder yesterday, and the tent leaked in the storm.", speaker="Ben"),
    make_turn("Oh no, a leaking tent! Thanks, Ben.", speaker="Ann"),
    make_turn("Sure!", speaker="Ben"),
    make_turn("The kids want to go camping at the lake again in July, with a new tent.", speaker="Ben"),
]


def test_it_says_who_talked_and_when() -> None:
    assert build_narrative(CAMPING).startswith("On Saturday, June 8, 2024, Ann and Ben talked.")


def test_it_quotes_the_turns_in_their_order() -> None:
    narrative = build_narrative(CAMPING)
    told = [narrative.index("Ben: We took the kids camping"), narrative.index("Ben: The kids want to go camping")]
    assert told == sorted(told)


def test_one_speaker_and_several_days() -> None:
    turns = [CAMPING[1], replace(CAMPING[4], said_at=CAMPING[4].said_at + timedelta(days=1))]
    assert build_narrative(turns).startswith("From Saturday, June 8, 2024 to Sunday, June 9, 2024, Ben spoke.")


def test_many_speakers_are_counted() -> None:
    turns = [make_turn("A word about the harvest festival.", speaker=name) for name in ("Ann", "Ben", "Cleo", "Dan")]
    assert "Ann, Ben and 2 others talked." in build_narrative(turns)


@pytest.mark.parametrize("count", [5, 25, 200])
def test_it_is_300_to_600_characters_if_the_turns_are_long_enough(count: int) -> None:
    turns = [make_turn(text, speaker=f"Speaker {index % 3}") for index, text in enumerate(make_paragraphs(count))]
    assert 300 <= len(build_narrative(turns)) <= 600


@pytest.mark.parametrize("speaker", ["Ann", "A name beyond all measure " * 20])
def test_it_is_never_too_long(speaker: str) -> None:
    turns = [make_turn("unpunctuated rambling about everything " * 5_000, speaker=speaker)] * 3
    assert len(build_narrative(turns)) <= 600


def test_a_word_longer_than_a_sentence_may_be_is_cut() -> None:
    narrative = build_narrative([make_turn("alder birch cedar " + "x" * 3_000)])
    assert narrative.endswith("Ann: alder birch cedar…")


def test_without_words_it_says_who_spoke() -> None:
    assert build_narrative([make_turn("")]) == "On Saturday, June 8, 2024, Ann spoke."
    assert build_narrative([]) == ""


@pytest.mark.parametrize("text", ["ok", "A boat!", "Hi Ann, thanks!"])
def test_a_short_turn_is_quoted_whole(text: str) -> None:
    assert build_narrative([make_turn(text)]) == f"On Saturday, June 8, 2024, Ann spoke. Ann: {text}"
