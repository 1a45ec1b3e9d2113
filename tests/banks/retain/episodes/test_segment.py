from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from banks.retain.episodes import SHIFT, OpenEpisode, Segmentation, segment
from banks.types import Turn
from providers.embedding.vector import Vector
from tests.banks.retain.episodes.talk import LONG_ENOUGH, START, make_talk, make_turn, make_vector, spell


def read_episodes(segmentation: Segmentation) -> str:
    return spell([placement.episode for placement in segmentation.placements])


def read_reasons(segmentation: Segmentation) -> list[str]:
    return [placement.reason for placement in segmentation.placements]


def segment_talk(topics: str) -> str:
    turns, vectors = make_talk(topics)
    return read_episodes(segment(turns, vectors))


def test_nothing_makes_no_episode() -> None:
    assert segment([], []) == Segmentation((), ())


def test_one_topic_is_one_episode() -> None:
    assert segment_talk("AAAAAA") == "aaaaaa"


def test_a_new_topic_begins_an_episode() -> None:
    turns, vectors = make_talk("AAABBB")
    segmentation = segment(turns, vectors)
    assert read_episodes(segmentation) == "aaabbb"
    assert read_reasons(segmentation) == ["first", "same", "same", "shift", "same", "same"]


@pytest.mark.parametrize(
    ("topics", "expected"),
    [("ABABAB", "ababab"), ("AABBAABB", "aabbaabb"), ("ABCABC", "abcabc"), ("AAABBBAAA", "aaabbbaaa")],
)
def test_interleaved_topics_become_separate_episodes(topics: str, expected: str) -> None:
    assert segment_talk(topics) == expected


def test_a_gap_of_more_than_half_an_hour_begins_an_episode() -> None:
    turns, vectors = make_talk("AAAA")
    later = [*turns[:2], *(replace(turn, said_at=turn.said_at + timedelta(minutes=30)) for turn in turns[2:])]
    segmentation = segment(later, vectors)
    assert read_episodes(segmentation) == "aabb"
    assert read_reasons(segmentation)[2] == "gap"


def test_a_gap_of_half_an_hour_does_not() -> None:
    turns, vectors = make_talk("AA")
    later = [turns[0], replace(turns[1], said_at=turns[0].said_at + timedelta(minutes=30))]
    assert read_episodes(segment(later, vectors)) == "aa"


def test_a_message_from_long_before_begins_an_episode() -> None:
    turns, vectors = make_talk("AA")
    earlier = [turns[0], replace(turns[1], said_at=turns[0].said_at - timedelta(days=1))]
    assert read_episodes(segment(earlier, vectors)) == "ab"


def test_an_episode_is_full_with_25_turns() -> None:
    turns, vectors = make_talk("A" * 60)
    segmentation = segment(turns, vectors)
    assert [episode.size for episode in segmentation.episodes] == [25, 25, 10]
    assert read_reasons(segmentation)[25] == "full"


def test_only_so_many_topics_are_kept_open() -> None:
    turns = [make_turn(LONG_ENOUGH, minute=index / 10) for index in range(10)]
    topics = list(np.eye(9, dtype=np.float32))
    segmentation = segment(turns, [*topics, topics[0]])
    assert read_episodes(segmentation) == "abcdefghij"
    assert read_episodes(segment(turns, [*topics, topics[1]])) == "abcdefghib"


def test_a_topic_that_rested_too_long_is_not_joined_again() -> None:
    turns, vectors = make_talk("A" + "B" * 40 + "A")
    assert segment(turns, vectors).placements[-1].reason == "shift"


@pytest.mark.parametrize(
    "reply",
    [
        "Yes, sure!",
        "Thanks, that sounds great.",
        "ok",
        "\U0001f44d",
        "\u597d\u7684\u3002",
        "Haha, I know, right?",
        "Oui.",
    ],
)
def test_a_brief_reply_stays_and_moves_no_topic(reply: str) -> None:
    turns, vectors = make_talk("AABA")
    turns[2] = make_turn(reply, minute=2)
    segmentation = segment(turns, vectors)
    assert read_episodes(segmentation) == "aaaa"
    undisturbed = segment([*turns[:2], turns[3]], [*vectors[:2], vectors[3]])
    assert np.array_equal(segmentation.episodes[0].topic, undisturbed.episodes[0].topic)


@pytest.mark.parametrize("role", ["assistant", "tool"])
def test_an_agent_begins_no_topic_of_its_own(role: str) -> None:
    turns, vectors = make_talk("AB")
    answer = replace(turns[1], role="assistant" if role == "assistant" else "tool")
    assert read_episodes(segment([turns[0], answer], vectors)) == "aa"
    assert read_episodes(segment(turns, vectors)) == "ab"


def test_an_agent_may_answer_an_earlier_question() -> None:
    turns, vectors = make_talk("ABA")
    assert read_episodes(segment([*turns[:2], replace(turns[2], role="assistant")], vectors)) == "aba"


def make_near(topic: Vector, cosine: float) -> Vector:
    """A vector at that cosine to the topic."""
    other = make_vector("E", seed=9)
    apart = other - (other @ topic) * topic
    return np.asarray(cosine * topic + np.sqrt(1 - cosine**2) * apart / np.linalg.norm(apart), dtype=np.float32)


def place_last(text: str, vector: Vector, *, before: str = "Something particular about the garden.") -> str:
    turns = [make_turn(before), make_turn(text, minute=1, speaker="Ben")]
    return read_episodes(segment(turns, [make_vector("A"), vector]))


DOUBTFUL = make_near(make_vector("A"), SHIFT + 0.02)


def test_a_doubtful_turn_stays() -> None:
    assert place_last(LONG_ENOUGH, DOUBTFUL) == "aa"


def continue_talk(turns: Sequence[Turn], vectors: Sequence[Vector], *, cuts: Sequence[int]) -> list[tuple[str, str]]:
    """Segment in several calls, and give each new episode an id."""
    placed: list[tuple[str, str]] = []
    known: list[OpenEpisode] = []
    for first, last in zip([0, *cuts], [*cuts, len(turns)], strict=True):
        segmentation = segment(turns[first:last], vectors[first:last], open_episodes=known)
        ids = [episode.id or f"{first}-{index}" for index, episode in enumerate(segmentation.episodes)]
        named = [replace(episode, id=name) for episode, name in zip(segmentation.episodes, ids, strict=True)]
        placed += [(ids[placement.episode], placement.reason) for placement in segmentation.placements]
        known = sorted(named, key=lambda episode: episode.latest.said_at)
    return placed


@pytest.mark.parametrize("topics", ["AABBAACCB", "ABABABABAB", "A" * 30 + "B" * 5 + "A" * 4])
@pytest.mark.parametrize("cuts", [[3], [1, 2, 3], [2, 5], [4]])
def test_several_calls_give_the_same_as_one(topics: str, cuts: list[int]) -> None:
    turns, vectors = make_talk(topics)
    whole = segment(turns, vectors)
    parts = continue_talk(turns, vectors, cuts=cuts)
    order = list(dict.fromkeys(name for name, _ in parts))
    assert spell([order.index(name) for name, _ in parts]) == read_episodes(whole)
    assert [reason for _, reason in parts] == read_reasons(whole)


def test_a_call_a_turn_gives_the_same_as_one() -> None:
    turns, vectors = make_talk("AABBCCAABBCCABC" * 2)
    parts = continue_talk(turns, vectors, cuts=range(1, len(turns)))
    assert [reason for _, reason in parts] == read_reasons(segment(turns, vectors))


def test_the_input_is_not_modified() -> None:
    turns, vectors = make_talk("AAA")
    given = segment(turns[:1], vectors[:1]).episodes[0]
    before = given.topic.copy()
    segmentation = segment(turns[1:], vectors[1:], open_episodes=[replace(given, id="mine")])
    assert (segmentation.episodes[0].id, segmentation.episodes[0].size) == ("mine", 3)
    assert given.size == 1
    assert np.array_equal(given.topic, before)


def test_an_episode_that_is_closed_is_not_joined() -> None:
    turns, vectors = make_talk("A")
    closed = OpenEpisode("full", 25, make_turn("Words.", minute=-1), make_vector("A"))
    old = OpenEpisode("old", 3, replace(turns[0], said_at=START - timedelta(hours=1)), make_vector("A"))
    assert read_reasons(segment(turns, vectors, open_episodes=[old, closed])) == ["full"]
    assert read_reasons(segment(turns, vectors, open_episodes=[closed, old])) == ["gap"]


def test_turns_and_vectors_must_be_as_many() -> None:
    turns, vectors = make_talk("AA")
    with pytest.raises(ValueError, match="zip"):
        segment(turns, vectors[:1])
