"""A message beside a good result ranks higher."""

from uuid import UUID

from banks.enums import Network
from retrieval.hydration import hydrate
from retrieval.ranking import add_neighbours
from retrieval.types import AT_PRESENT, Ranked, SourceSpan
from tests.memory_factories import make_episode
from tests.retrieval.factories import make_id, make_ranked
from tests.retrieval.memory import Memory


def quoting(
    number: int,
    score: float,
    *messages: tuple[int, int | None],
    speaker: str = "Ana",
    network: Network = Network.WORLD,
) -> Ranked:
    """A result with its fused score and its messages, each with the message after it."""
    sources = [
        SourceSpan(UUID(int=own), None, "", 0, 5, "said", None if following is None else UUID(int=following))
        for own, following in messages
    ]
    ranked = make_ranked(id=make_id(number), sources=tuple(sources), network=network, speaker=speaker)
    return ranked.with_scores(ranked.scores._replace(fused=score))


def order(*ranked: Ranked) -> list[tuple[int, float]]:
    return [(one.candidate.id.int, one.scores.neighbour) for one in add_neighbours(ranked, share=0.5)]


def test_the_message_before_and_the_message_after_count() -> None:
    best = quoting(1, 8.0, (11, 12), speaker="Ben")
    before, after, far = quoting(2, 1.0, (10, 11)), quoting(3, 2.0, (12, 13)), quoting(4, 3.0, (20, None))
    assert order(best, far, after, before) == [(1, 1.0), (3, 4.0), (2, 4.0), (4, 0.0)]


def test_the_better_of_two_neighbours_counts() -> None:
    between = quoting(3, 1.0, (11, 12), speaker="Ben")
    assert dict(order(quoting(1, 8.0, (10, 11)), quoting(2, 6.0, (12, 13)), between)) == {1: 0.5, 2: 0.5, 3: 4.0}


def test_two_messages_of_one_speaker_are_no_neighbours() -> None:
    assert dict(order(quoting(1, 8.0, (10, 11)), quoting(2, 1.0, (11, 12)))) == {1: 0.0, 2: 0.0}


def test_the_agents_own_words_neither_give_nor_take() -> None:
    reply = quoting(2, 1.0, (11, 12), speaker="Agent", network=Network.EXPERIENCE)
    assert dict(order(quoting(1, 8.0, (10, 11)), reply, quoting(3, 2.0, (12, 13)))) == {1: 0.0, 2: 0.0, 3: 0.0}


def test_a_result_without_messages_has_no_neighbour() -> None:
    fact = make_ranked(id=make_id(2))
    assert dict(order(quoting(1, 8.0, (10, 11)), fact))[2] == 0.0


def test_the_next_message_is_that_of_the_same_episode(memory: Memory) -> None:
    episodes = [make_episode(memory.tenant, bank=memory.bank) for _ in range(2)]
    first = memory.message("Which tea?", episode=episodes[0], days=3)
    memory.message("Good morning!", episode=episodes[1], days=2)
    answer = memory.message("Oolong.", episode=episodes[0], days=1)
    units = [memory.unit(message.content) for message in (first, answer)]
    for unit, message in zip(units, (first, answer), strict=True):
        memory.quote(unit, message)
    rows = hydrate(memory.bank, [("unit", unit.id) for unit in units], AT_PRESENT)
    assert [source.following for row in rows for source in row.sources] == [answer.id, None]


def quoting_transcript(
    number: int, score: float, chunk: int, start: int, *, following: int | None = None, speaker: str = "Ana"
) -> Ranked:
    """A result that quotes ten characters of a chunk."""
    after = None if following is None else UUID(int=following)
    source = SourceSpan(None, UUID(int=chunk), "talk", start, start + 10, "said", after)
    ranked = make_ranked(id=make_id(number), sources=(source,), speaker=speaker)
    return ranked.with_scores(ranked.scores._replace(fused=score))


def test_turns_of_a_transcript_are_neighbours_if_only_a_label_lies_between() -> None:
    best = quoting_transcript(1, 8.0, 50, 5, speaker="Ben")
    near, far = quoting_transcript(2, 1.0, 50, 21), quoting_transcript(3, 1.0, 50, 200)

    assert dict(order(best, near, far)) == {1: 0.5, 2: 4.0, 3: 0.0}


def test_the_last_turn_of_a_chunk_is_beside_the_first_of_the_next() -> None:
    best = quoting_transcript(1, 8.0, 50, 5, following=51, speaker="Ben")
    near, far = quoting_transcript(2, 1.0, 51, 5), quoting_transcript(3, 1.0, 52, 5)

    assert dict(order(best, near, far)) == {1: 0.5, 2: 4.0, 3: 0.0}


def test_a_text_without_a_speaker_has_no_neighbour() -> None:
    best = quoting_transcript(1, 8.0, 50, 5, speaker="")

    assert dict(order(best, quoting_transcript(2, 1.0, 50, 21, speaker=""))) == {1: 0.0, 2: 0.0}
