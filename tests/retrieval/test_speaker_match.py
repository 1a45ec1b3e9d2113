import pytest

from retrieval.speaker_match import SpeakerMatch, match_speaker
from retrieval.types import Candidate, Voice
from tests.retrieval.factories import make_candidate


def said_by(name: str, role: str = "user") -> Candidate:
    return make_candidate(voices=(Voice(name, role),))


ANA, BRUNO, AGENT = said_by("Ana"), said_by("Bruno"), said_by("Assistant", "assistant")


@pytest.mark.parametrize(
    ("query", "names", "match"),
    [
        ("What did Ana buy?", ("ana", "buy"), SpeakerMatch(speaker="ana")),
        ("Where did Ana meet Bruno?", ("ana", "bruno"), SpeakerMatch()),
        ("What did Clara buy?", ("clara",), SpeakerMatch()),
        ("Which book did you recommend to me?", (), SpeakerMatch(role="assistant")),
        ("Can you recommend a book for my trip?", (), SpeakerMatch(role="user")),
        ("When did I move?", (), SpeakerMatch(role="user")),
        ("When was the bridge built?", (), SpeakerMatch()),
    ],
)
def test_the_query_names_the_speaker(query: str, names: tuple[str, ...], match: SpeakerMatch) -> None:
    assert match_speaker(query, names, [ANA, BRUNO, AGENT]) == match


def test_only_the_words_of_that_speaker_match() -> None:
    match = SpeakerMatch(speaker="ana")
    assert [match.covers(one) for one in (ANA, BRUNO, AGENT)] == [True, False, False]
    assert not SpeakerMatch().covers(ANA)
    assert SpeakerMatch(role="assistant").covers(AGENT)


def test_a_text_without_a_speaker_matches() -> None:
    written = make_candidate(voices=())
    assert (SpeakerMatch(speaker="ana").covers(written), SpeakerMatch(role="user").covers(written)) == (True, True)
    assert not SpeakerMatch().covers(written)
