from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.boosts import Combined
from retrieval.boosts import boost as boost_combined
from retrieval.plan import Boosts, get_recipe
from retrieval.types import Channel, Place, PointInTime, QuestionType, Ranked, Scores
from tests.retrieval.factories import ASKED_AT, make_id, make_ranked

OFF = Boosts(recency=0, validity=0, fading=0, proof=0, importance=0, access=0, speaker=0)
ALL = Boosts(recency=0.2, validity=0.5, fading=0.3, proof=0.1, importance=0.1, access=0.05, speaker=0.1)
STRENGTHS = {
    "recency": 0.2,
    "validity": 0.5,
    "fading": 0.3,
    "proof": 0.1,
    "importance": 0.1,
    "access": 0.05,
    "speaker": 0.1,
}


def boost(ranked: Sequence[Ranked], boosts: Boosts, **options: Any) -> list[Ranked]:
    """Apply boosts to candidates that already have a score."""
    combined = [Combined(one, place, None, one.scores.final) for place, one in enumerate(ranked, 1)]
    return boost_combined(combined, boosts, **options)


def score(boosts: Boosts, **values: Any) -> dict[str, float]:
    [one] = boost([make_ranked(**values)], boosts, asked_at=ASKED_AT)
    return dict(one.scores.boosts)


def texts_of(ranked: list[Ranked]) -> list[str]:
    return [one.text for one in ranked]


def test_boosts_that_are_off_are_not_shown_and_change_nothing() -> None:
    [one] = boost([make_ranked(final=0.7, proof_count=9)], OFF, asked_at=ASKED_AT)
    assert one.scores.final == 0.7
    assert one.scores.boosts == {}


def test_recency_is_halfway_after_its_half_life() -> None:
    boosts = Boosts(recency=0.2, half_life_days=90)
    ages = {0: 1.2, 90: 1.0, 180: 0.9}
    for days, factor in ages.items():
        told = score(boosts, mentioned_at=ASKED_AT - timedelta(days=days))
        assert told["recency"] == pytest.approx(factor)


def test_recency_uses_the_occurrence_before_the_mention() -> None:
    boosts = Boosts(recency=0.2)
    told = score(boosts, occurred_start=ASKED_AT - timedelta(days=9000), mentioned_at=ASKED_AT)
    assert told["recency"] == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("of_answer", "of_news"), [((0.999, 0.6), (0.0001, 0.6)), ((None, 0.8), (None, 0.6)), ((None, 0.8), (None, None))]
)
def test_news_of_another_matter_is_no_newer_answer(
    of_answer: tuple[float | None, float], of_news: tuple[float | None, float | None]
) -> None:
    answer = make_ranked("answer", mentioned_at=ASKED_AT - timedelta(days=300))
    news = make_ranked("news", mentioned_at=ASKED_AT)
    combined = [
        Combined(find_by_meaning(answer, of_answer[1]), 1, of_answer[0], 1.0),
        Combined(find_by_meaning(news, of_news[1]), 2, of_news[0], 0.984),
    ]
    assert texts_of(boost_combined(combined, Boosts(recency=0.05), asked_at=ASKED_AT)) == ["answer", "news"]


def find_by_meaning(ranked: Ranked, cosine: float | None) -> Ranked:
    places = {} if cosine is None else {Channel.SEMANTIC: Place(1, cosine)}
    return ranked.with_scores(ranked.scores._replace(places=places))


def test_of_two_that_are_as_good_the_newer_comes_first() -> None:
    old, new = (
        make_ranked("old", mentioned_at=ASKED_AT - timedelta(days=300)),
        make_ranked("new", mentioned_at=ASKED_AT),
    )
    combined = [Combined(old, 1, 0.999, 1.0), Combined(new, 2, 0.998, 0.984)]
    assert texts_of(boost_combined(combined, Boosts(recency=0.02), asked_at=ASKED_AT)) == ["new", "old"]


def test_a_future_event_is_as_recent_as_now() -> None:
    assert score(Boosts(recency=0.2), occurred_start=ASKED_AT + timedelta(days=30))["recency"] == pytest.approx(1.2)


@pytest.mark.parametrize(
    "closed", [{"expired_at": ASKED_AT}, {"valid_until": ASKED_AT}, {"valid_until": ASKED_AT - timedelta(days=1)}]
)
def test_an_ended_memory_is_lowered(closed: dict[str, Any]) -> None:
    assert score(Boosts(validity=0.4), **closed)["validity"] == pytest.approx(0.6)


@pytest.mark.parametrize("closed", [{"expired_at": ASKED_AT}, {"valid_until": ASKED_AT}])
def test_with_history_an_ended_memory_is_not_lowered(closed: dict[str, Any]) -> None:
    over, other = make_ranked(id=make_id(1), final=0.9, **closed), make_ranked(id=make_id(2), final=0.8)
    boosted = boost([over, other], Boosts(validity=0.5), asked_at=ASKED_AT, moment=PointInTime(history=True))
    assert [one.candidate.id for one in boosted] == [over.candidate.id, other.candidate.id]


def test_a_successor_ranks_before_its_predecessor_with_or_without_history() -> None:
    newer = make_ranked(id=make_id(2), final=0.1)
    older = make_ranked(id=make_id(1), final=0.9, expired_at=ASKED_AT, superseded_by=newer.candidate.id)
    boosted = boost([older, newer], Boosts(validity=0.5), asked_at=ASKED_AT, moment=PointInTime(history=True))
    assert [one.candidate.id for one in boosted] == [newer.candidate.id, older.candidate.id]


def test_for_a_past_window_a_superseded_fact_may_rank_before_its_successor() -> None:
    newer = make_ranked(id=make_id(2), final=0.1)
    older = make_ranked(id=make_id(1), final=0.9, expired_at=ASKED_AT, superseded_by=newer.candidate.id)
    moment = PointInTime(history=True)
    boosted = boost([older, newer], Boosts(validity=0.5), asked_at=ASKED_AT, moment=moment, is_about_past=True)
    assert [one.candidate.id for one in boosted] == [older.candidate.id, newer.candidate.id]


def test_a_current_memory_is_not_lowered() -> None:
    assert score(Boosts(validity=0.4), valid_until=ASKED_AT + timedelta(days=1))["validity"] == 1.0


@pytest.mark.parametrize(("name", "field"), [("proof", "proof_count"), ("access", "access_count")])
def test_more_is_better_up_to_a_bound(name: str, field: str) -> None:
    counts = (1, 2, 5, 10, 100, 10_000_000)
    factors = [score(ALL, **{field: count})[name] for count in counts]
    assert factors == sorted(factors)
    assert factors[-1] == pytest.approx(1 + STRENGTHS[name])


def test_one_source_and_no_access_are_neutral() -> None:
    factors = score(ALL, proof_count=1, access_count=0)
    assert (factors["proof"], factors["access"]) == (1.0, 1.0)


def test_importance_raises_and_lowers_around_its_middle() -> None:
    factors = [score(ALL, importance=value)["importance"] for value in (0.0, 0.5, 1.0)]
    assert factors == pytest.approx([0.9, 1.0, 1.1])


def test_the_original_words_rank_before_a_reply_that_repeats_them() -> None:
    reply, words = make_ranked(final=0.9), make_ranked(final=0.85)
    words = words.with_scores(words.scores._replace(speaker=1.2))

    first, second = boost([reply, words], Boosts(speaker=0.1), asked_at=ASKED_AT)

    assert first.candidate.id == words.candidate.id
    assert (first.scores.boosts["speaker"], second.scores.boosts["speaker"]) == (1.1, 1.0)


def test_small_talk_of_the_person_in_question_is_no_answer() -> None:
    answer, talk, unread = (make_ranked(id=make_id(number)) for number in (1, 2, 3))
    talk, unread = (one.with_scores(one.scores._replace(speaker=1.2)) for one in (talk, unread))
    combined = [Combined(answer, 1, 0.9999, 1.0), Combined(talk, 2, 0.9, 0.98), Combined(unread, 3, None, 0.96)]

    boosted = boost_combined(combined, Boosts(speaker=0.1), asked_at=ASKED_AT)

    assert [one.candidate.id for one in boosted] == [make_id(1), make_id(2), make_id(3)]
    factors = [one.scores.boosts["speaker"] for one in boosted]
    assert factors == pytest.approx([1.0, 1.0097, 1.0], abs=1e-4)


@pytest.mark.parametrize(("kind", "is_about_role"), [(QuestionType.COUNTING, False), (QuestionType.FACTUAL, True)])
def test_the_speaker_counts_in_full_behind_the_best_of_all(kind: QuestionType, *, is_about_role: bool) -> None:
    """Counted facts and statements about oneself are often said in passing, and the reranker underrates them."""
    at_large, reply, passing = (make_ranked(text) for text in ("The best plants are", "Plants need", "I got a fern"))
    passing = passing.with_scores(passing.scores._replace(speaker=1.2))
    combined = [Combined(at_large, 1, 0.999, 1.0), Combined(reply, 2, 0.9, 0.98), Combined(passing, 3, 0.001, 0.96)]

    def order(boosts: Boosts, *, is_about_role: bool) -> list[str]:
        still = replace(boosts, recency=0)
        return [one.text for one in boost_combined(combined, still, asked_at=ASKED_AT, is_about_role=is_about_role)]

    assert order(get_recipe(kind).boosts, is_about_role=is_about_role) == [at_large.text, passing.text, reply.text]
    assert order(Boosts(), is_about_role=False) == [at_large.text, reply.text, passing.text]


def test_the_best_result_ranks_after_equally_good_words_of_the_speaker() -> None:
    reply, words = make_ranked("You got a fern"), make_ranked("I got a fern")
    words = words.with_scores(words.scores._replace(speaker=1.2))
    combined = [Combined(reply, 1, 0.999, 1.0), Combined(words, 2, 0.998, 0.98)]
    first, _ = boost_combined(combined, Boosts(recency=0), asked_at=ASKED_AT, is_about_role=True)
    assert first.text == words.text


@given(
    st.fixed_dictionaries(
        {
            "mentioned_at": st.datetimes(timezones=st.just(UTC)),
            "importance": st.floats(0, 1),
            "proof_count": st.integers(0, 10**9),
            "access_count": st.integers(0, 10**9),
            "expired_at": st.none() | st.just(ASKED_AT),
        }
    )
)
def test_every_factor_stays_within_its_bounds(values: dict[str, Any]) -> None:
    factors = score(ALL, **values)
    for name, factor in factors.items():
        assert abs(factor - 1) <= STRENGTHS[name] + 1e-9, name


def test_the_final_score_is_the_product_and_the_order_follows_it() -> None:
    ranked = boost(
        [make_ranked("old", final=0.50, mentioned_at=ASKED_AT - timedelta(days=900)), make_ranked("new", final=0.45)],
        Boosts(recency=0.2, validity=0, proof=0, importance=0),
        asked_at=ASKED_AT,
    )
    assert texts_of(ranked) == ["new", "old"]
    assert ranked[0].scores.final == pytest.approx(0.45 * ranked[0].scores.boosts["recency"])


def make_succession() -> list[Ranked]:
    """Berlin, then Paris, then Rome; the words of the query are in the oldest."""
    closed: dict[str, Any] = {"expired_at": ASKED_AT}
    return [
        make_ranked("Berlin", final=0.9, id=make_id(1), superseded_by=make_id(2), **closed),
        make_ranked("tea", final=0.6),
        make_ranked("Paris", final=0.5, id=make_id(2), superseded_by=make_id(3), **closed),
        make_ranked("Rome", final=0.1, id=make_id(3)),
    ]


def test_a_successor_takes_the_place_of_its_superseded_fact() -> None:
    ranked = boost(make_succession(), OFF, asked_at=ASKED_AT)
    assert texts_of(ranked) == ["Rome", "Paris", "Berlin", "tea"]
    assert ranked[0].scores.boosts == {"succession": pytest.approx(9.0)}


def test_a_unit_with_a_scheduled_end_keeps_its_place() -> None:
    ends = ASKED_AT + timedelta(days=9)
    scheduled = make_ranked("Berlin", final=0.9, id=make_id(1), superseded_by=make_id(2), valid_until=ends)
    coming = make_ranked("Paris", final=0.5, id=make_id(2), valid_from=ASKED_AT + timedelta(days=9))
    assert texts_of(boost([scheduled, coming], OFF, asked_at=ASKED_AT)) == ["Berlin", "Paris"]


def test_a_unit_past_its_scheduled_end_falls_behind_its_successor() -> None:
    ended = make_ranked("Berlin", final=0.9, id=make_id(1), superseded_by=make_id(2), valid_until=ASKED_AT)
    assert texts_of(boost([ended, make_ranked("Paris", final=0.5, id=make_id(2))], OFF, asked_at=ASKED_AT)) == [
        "Paris",
        "Berlin",
    ]


def test_the_order_that_they_came_in_does_not_matter() -> None:
    assert texts_of(boost(make_succession()[::-1], OFF, asked_at=ASKED_AT)) == ["Rome", "Paris", "Berlin", "tea"]


def test_a_superseded_fact_whose_successor_was_not_found_is_only_lowered() -> None:
    ranked = boost(make_succession()[:2], Boosts(validity=0.5, proof=0, importance=0), asked_at=ASKED_AT)
    assert texts_of(ranked) == ["tea", "Berlin"]


def test_facts_that_supersede_each_other_end_somewhere() -> None:
    first = make_ranked("one", final=0.2, id=make_id(1), superseded_by=make_id(2))
    second = make_ranked("two", final=0.1, id=make_id(2), superseded_by=make_id(1))
    assert len(boost([first, second], OFF, asked_at=ASKED_AT)) == 2


@pytest.mark.parametrize("moment", [PointInTime(as_of=ASKED_AT), PointInTime(known_at=ASKED_AT)])
def test_at_a_point_in_time_nothing_is_superseded(moment: PointInTime) -> None:
    ranked = boost(make_succession(), Boosts(proof=0, importance=0), asked_at=ASKED_AT, moment=moment)
    assert texts_of(ranked) == ["Berlin", "tea", "Paris", "Rome"]


def test_equal_scores_stay_in_the_order_in_which_they_came() -> None:
    ranked = [make_ranked(str(number), final=0.5) for number in range(20)]
    assert texts_of(boost(ranked, OFF, asked_at=ASKED_AT)) == [str(number) for number in range(20)]


def test_a_faded_memory_ranks_lower_and_the_trace_says_so() -> None:
    assert score(Boosts(fading=0.4), is_faded=True)["fading"] == pytest.approx(0.6)
    assert score(Boosts(fading=0.4))["fading"] == 1.0


def test_other_fields_of_a_candidate_stay_unchanged() -> None:
    [before] = [make_ranked(final=0.7)._replace(passage=(3, 9))]
    before = before.with_scores(Scores(0.1, 0.7, places={Channel.KEYWORD: Place(1, 2.0)}, speaker=1.2, is_repeat=True))
    [after] = boost_combined([Combined(before, 5, 0.4, 0.7)], OFF, asked_at=ASKED_AT)
    assert after._replace(scores=before.scores) == before
    assert after.scores == before.scores._replace(reranker=0.4, place=5)
