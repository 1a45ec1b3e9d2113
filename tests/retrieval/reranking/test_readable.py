from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from retrieval.reranking.instructions import INSTRUCTIONS
from retrieval.reranking.readable import build_readable
from retrieval.types import QuestionType
from tests.retrieval.ranking.factories import make_candidate

NOVEMBER = datetime(2025, 11, 6, 12, tzinfo=UTC)
MAY = datetime(2024, 5, 1, tzinfo=UTC)


def test_date_context_and_text_stand_in_this_order() -> None:
    candidate = make_candidate(occurred_start=NOVEMBER, mentioned_at=MAY, context="work")
    readable = build_readable(candidate, "Alice joined Google.", zone=UTC)
    assert readable == "[Date: November 06, 2025 (2025-11-06)] work: Alice joined Google."


def test_what_has_no_time_of_its_own_has_that_of_its_telling() -> None:
    assert build_readable(make_candidate(mentioned_at=MAY), "tea", zone=UTC) == "[Date: May 01, 2024 (2024-05-01)] tea"


def test_the_day_is_that_of_whoever_asks() -> None:
    candidate = make_candidate(mentioned_at=datetime(2025, 11, 6, 23, tzinfo=UTC))
    assert "2025-11-07" in build_readable(candidate, "tea", zone=timezone(timedelta(hours=2)))


def test_a_day_that_was_told_is_the_same_for_all() -> None:
    candidate = make_candidate(occurred_start=MAY, occurred_end=MAY + timedelta(days=1))
    assert "2024-05-01" in build_readable(candidate, "tea", zone=timezone(timedelta(hours=-7)))


ZONES = st.integers(-23, 23).map(lambda hours: timezone(timedelta(hours=hours)))


@given(st.datetimes(timezones=ZONES), ZONES)
def test_any_moment_can_be_written(moment: datetime, zone: timezone) -> None:
    assert build_readable(make_candidate(mentioned_at=moment), "tea", zone=zone).endswith("] tea")
    assert build_readable(make_candidate(occurred_start=moment), "tea", zone=zone).endswith("] tea")


def test_every_type_of_question_has_an_instruction() -> None:
    assert set(INSTRUCTIONS) == set(QuestionType)
    assert all(INSTRUCTIONS.values())
