from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from retrieval.reranking import INSTRUCTIONS, build_readable
from retrieval.types import QuestionType
from tests.retrieval.factories import make_ranked

NOVEMBER = datetime(2025, 11, 6, 12, tzinfo=UTC)
MAY = datetime(2024, 5, 1, tzinfo=UTC)


def test_the_order_is_date_context_text() -> None:
    ranked = make_ranked("Alice joined Google.", occurred_start=NOVEMBER, mentioned_at=MAY, context="work")
    assert build_readable(ranked, zone=UTC) == "[Date: November 06, 2025 (2025-11-06)] work: Alice joined Google."


def test_the_reranker_reads_the_search_text_of_a_short_memory_and_the_passage_of_a_long_one() -> None:
    ranked = make_ranked("Ana: I joined.", mentioned_at=MAY, search_text="Ana joined.")
    assert build_readable(ranked, zone=UTC).endswith("] Ana joined.")
    assert build_readable(ranked._replace(passage=(0, 14)), zone=UTC).endswith("] Ana: I joined.")


def test_a_memory_without_an_occurrence_has_the_date_of_its_mention() -> None:
    assert build_readable(make_ranked("tea", mentioned_at=MAY), zone=UTC) == "[Date: May 01, 2024 (2024-05-01)] tea"


def test_the_day_is_that_of_the_query_s_zone() -> None:
    ranked = make_ranked("tea", mentioned_at=datetime(2025, 11, 6, 23, tzinfo=UTC))
    assert "2025-11-07" in build_readable(ranked, zone=timezone(timedelta(hours=2)))


def test_a_whole_day_is_the_same_in_every_zone() -> None:
    ranked = make_ranked("tea", occurred_start=MAY, occurred_end=MAY + timedelta(days=1))
    assert "2024-05-01" in build_readable(ranked, zone=timezone(timedelta(hours=-7)))


ZONES = st.integers(-23, 23).map(lambda hours: timezone(timedelta(hours=hours)))


@given(st.datetimes(timezones=ZONES), ZONES)
def test_any_moment_can_be_written(moment: datetime, zone: timezone) -> None:
    assert build_readable(make_ranked("tea", mentioned_at=moment), zone=zone).endswith("] tea")
    assert build_readable(make_ranked("tea", occurred_start=moment), zone=zone).endswith("] tea")


def test_every_type_of_question_has_an_instruction() -> None:
    assert set(INSTRUCTIONS) == set(QuestionType)
    assert all(INSTRUCTIONS.values())
