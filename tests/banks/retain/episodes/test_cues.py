import pytest

from banks.retain.episodes.cues import asks, greets, replies, says_little, takes_leave, turns_away, turns_back
from tests.banks.retain.episodes.talk import make_turn


@pytest.mark.parametrize(
    "text", ["The cat ate my homework.", "\u4eca\u5929\u5929\u6c14\u5f88\u597d", "Berlin, Monday, noon", "x" * 200]
)
def test_a_turn_with_a_topic_says_something(text: str) -> None:
    assert not says_little(make_turn(text))


@pytest.mark.parametrize("text", ["Anyway, the car.", "Oh, by the way, the car", "Great! On another note, the car."])
def test_words_that_turn_away(text: str) -> None:
    assert turns_away(make_turn(text))
    assert not turns_away(make_turn("I told her we would go anyway and that the way was new."))


def test_words_that_turn_back() -> None:
    assert turns_back(make_turn("Going back to the car, did you sell it?"))
    assert not turns_back(make_turn("My back hurts. To sit is bad."))


def test_an_oh_that_turns_away_is_no_reply() -> None:
    assert replies(make_turn("Oh no, how sad."))
    assert not replies(make_turn("Oh, by the way, I sold the car."))
    assert not replies(make_turn("Nobody told me."))


def test_greetings_stand_at_the_start() -> None:
    assert greets(make_turn("Hey Ann! Nice to see you"))
    assert not greets(make_turn("She said hi to Ben."))
    assert not greets(make_turn("History is hard."))


def test_leave_is_taken_at_the_end() -> None:
    assert takes_leave(make_turn("It was fun. Talk to you soon!"))
    assert not takes_leave(make_turn("I said bye to the old car. " + "Now the new one is here and it is red. " * 3))


def test_a_question_may_be_followed_by_a_remark() -> None:
    assert asks(make_turn("Did it rain? The clouds looked bad."))
    assert not asks(make_turn("Did it rain? " + "I was in the south, where the sun was shining. " * 3))
