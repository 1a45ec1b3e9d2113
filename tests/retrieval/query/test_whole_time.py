from datetime import UTC, datetime

import pytest

from retrieval.query.reading import read_query
from retrieval.types import RecallQuery

ASKED_AT = datetime(2026, 11, 16, 18, tzinfo=UTC)


def is_of_whole_time(text: str) -> bool:
    return read_query(RecallQuery(text, ASKED_AT)).is_of_whole_time


@pytest.mark.parametrize(
    "text",
    [
        "What happened on 24 April?",
        "What did I do in the week of 16 March?",
        "Tell me everything from June 2026",
        "What did we talk about last week?",
        "How did I spend last weekend?",
        "yesterday",
        "Was war im Mai los?",
        "Qu'est-ce qui s'est passé hier ?",
        "¿Qué pasó en mayo?",
        "Cosa è successo ieri?",
        "O que aconteceu ontem?",
        "Wat is er gisteren gebeurd?",
    ],
)
def test_all_of_a_time_is_asked_for_where_no_matter_is_named(text: str) -> None:
    assert is_of_whole_time(text)


@pytest.mark.parametrize(
    "text", ["What did Maria do in May?", "What did I buy in May?", "Who visited yesterday?", "What happened?"]
)
def test_a_matter_or_no_time_asks_for_less(text: str) -> None:
    assert not is_of_whole_time(text)


def test_of_a_window_that_the_caller_gives_the_query_is_all_that_is_read() -> None:
    given = (datetime(2026, 4, 24, tzinfo=UTC), datetime(2026, 4, 25, tzinfo=UTC))
    whole, of_a_matter = (RecallQuery(text, ASKED_AT, window=given) for text in ("What happened?", "What broke?"))
    assert read_query(whole).is_of_whole_time
    assert not read_query(of_a_matter).is_of_whole_time
