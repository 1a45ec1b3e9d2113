import json
import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.analysis import analyse, embed
from retrieval.errors import BackwardWindow, QueryWithoutWords
from retrieval.query import time_window
from retrieval.types import QuestionType, RecallQuery
from tests.clock import holds_to_a_time
from tests.llm_server import ScriptedLLM
from tests.providers.llm.factory import make_llm
from tests.retrieval.factories import ASKED_AT
from tests.retrieval.fakes import DIMENSION, WordEmbedder

VAGUE = "What happened recently?"  # a temporal question without a readable date


def ask(text: str, **values: object) -> RecallQuery:
    return RecallQuery(text, ASKED_AT, **values)  # type: ignore[arg-type]  # values of several types


def test_a_query_is_analysed() -> None:
    analysis = analyse(ask("How many films did Alice see in March 2025?"))
    assert analysis.type == QuestionType.COUNTING
    assert analysis.language == "en"
    assert analysis.window is not None
    assert (analysis.window.start, analysis.window.end) == (
        datetime(2025, 3, 1, tzinfo=UTC),
        datetime(2025, 4, 1, tzinfo=UTC),
    )
    assert analysis.search_text.endswith("in March 2025 (2025-03-01 to 2025-03-31)")
    assert analysis.names[0] == "alice"
    assert analysis.wants_history
    assert analysis.usage.calls == 0


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Wat deden we 3 maart tot 5 mei 2025?", "nl"),
        ("Qu'avons-nous fait 3 mars jusqu'au 5 mai 2025 ?", "fr"),
        ("O que fizemos 3 de março até 5 de maio de 2025?", "pt"),
        ("Что мы делали 3 марта до 5 мая 2025?", "ru"),
        ("¿Qué hicimos entre el 3 de marzo y el 5 de mayo de 2025?", "es"),
    ],
)
def test_a_range_in_another_language_is_written_out_as_one_time(text: str, language: str) -> None:
    analysis = analyse(ask(text))
    assert (analysis.language, analysis.type) == (language, QuestionType.TEMPORAL)
    assert analysis.search_text.endswith("(2025-03-03 to 2025-05-05)")


@pytest.mark.parametrize(
    "text",
    [
        "Where did Ines live before Porto?",
        "Who was her manager?",
        "Didn't she use to smoke, I mean she used to?",
        "What is his previous address?",
        "Has Karl ever lived abroad?",
        "How has the plan changed over time?",
        "Where does Ines live in February 2020?",
    ],
)
def test_a_question_about_the_past_wants_history(text: str) -> None:
    assert analyse(ask(text)).wants_history


@pytest.mark.parametrize(
    "text",
    ["Where does Ines live?", "What is planned for next Friday?", "What jobs does Karl have?"],
)
def test_a_question_about_the_present_does_not_want_history(text: str) -> None:
    assert not analyse(ask(text)).wants_history


def test_the_vector_and_its_usage_complete_the_analysis() -> None:
    before = analyse(ask("Where does Alice work?"))
    after = embed(before, {"test": WordEmbedder()}).analysis
    assert (before.vector.size, after.vector.size, after.usage.calls) == (0, DIMENSION, 1)
    assert (after.lexemes, after.search_text, after.type) == (before.lexemes, before.text, QuestionType.FACTUAL)


def test_a_window_of_the_caller_replaces_that_of_the_words() -> None:
    start, end = datetime(2020, 1, 1, tzinfo=UTC), datetime(2020, 2, 1, tzinfo=UTC)
    window = analyse(ask("What did I do in March 2025?", window=(start, end))).window
    assert window is not None
    assert (window.start, window.end) == (start, end)


@pytest.mark.parametrize("open_end", [(ASKED_AT, None), (None, ASKED_AT)])
def test_a_window_of_the_caller_may_be_open(open_end: tuple[datetime | None, datetime | None]) -> None:
    window = analyse(ask("tea", window=open_end)).window
    assert window is not None
    assert (window.start, window.end) == open_end


def test_a_window_that_is_open_on_both_sides_is_none() -> None:
    assert analyse(ask("What did I do in March 2025?", window=(None, None))).window is None


def test_a_window_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(BackwardWindow):
        analyse(ask("tea", window=(ASKED_AT, ASKED_AT - timedelta(days=1))))


def test_a_moment_is_the_day_that_begins_with_it() -> None:
    window = analyse(ask("tea", window=(ASKED_AT, ASKED_AT))).window
    assert window is not None
    assert window.end == ASKED_AT + timedelta(days=1)


@pytest.mark.parametrize(
    "text",
    ["what happened before 0001", "before year 0001", "after 9999", "31 December 9999", "٣年前", "३天前", "٣月5日"],
)
def test_the_ends_of_the_calendar_and_digits_of_any_script_are_read(text: str) -> None:
    assert analyse(ask(text)).search_text.startswith(text)


@pytest.mark.parametrize("moment", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
def test_a_window_of_the_caller_may_touch_the_ends_of_the_calendar(moment: datetime) -> None:
    assert analyse(ask("what happened", window=(None, moment))).window is not None
    assert analyse(ask("what happened", window=(moment, moment))).window is not None


@pytest.mark.parametrize("text", ["", "   ", "?!", "\0"])
def test_a_query_without_words_is_refused(text: str) -> None:
    with pytest.raises(QueryWithoutWords):
        analyse(ask(text))


@holds_to_a_time
@pytest.mark.parametrize(
    "text", ["x " * 50_000, "a" * 100_000, "好" * 100_000, "how many before " * 6_000, "?" * 99_999 + "x", "the of"]
)
def test_a_hundred_thousand_characters_are_read_in_a_moment(text: str) -> None:
    started = time.perf_counter()
    analysis = analyse(ask(text))
    assert time.perf_counter() - started < 2
    assert len(analysis.search_text) < 2_200


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=80))
@settings(deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        analysis = analyse(ask(text))
    except QueryWithoutWords:
        return
    assert analysis.search_text


def test_the_llm_is_asked_where_the_rules_find_a_time_word_and_no_range(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say(json.dumps({"first_day": "2025-06-01", "last_day": "2025-06-03"}))
    analysis = analyse(ask(VAGUE), llm=make_llm(llm_server))
    assert analysis.window is not None
    assert (analysis.window.start, analysis.window.end) == (
        datetime(2025, 6, 1, tzinfo=UTC),
        datetime(2025, 6, 4, tzinfo=UTC),
    )
    assert analysis.type == QuestionType.TEMPORAL
    assert analysis.usage.calls == 1
    [request] = llm_server.chat.received
    assert "2025-11-15T12:00+00:00 (Saturday)" in request.prompt
    assert f"| {VAGUE}" in request.prompt


@pytest.mark.parametrize(
    "text",
    [
        "What happened in March 2025?",
        "Where does Alice work?",
        "Which day did Alice start at Acme?",
        "What year did they marry?",
        "An welchem Tag kam Alice?",
        "Quel jour est-elle partie ?",
        "Where does Alice currently live?",
        "What did Alice get for her birthday?",
    ],
)
def test_the_llm_is_not_asked_where_the_question_names_no_unknown_time(llm_server: ScriptedLLM, text: str) -> None:
    analyse(ask(text), llm=make_llm(llm_server))
    assert llm_server.chat.received == []


@pytest.mark.parametrize("text", ["Which day did Alice call me recently?", "What is new lately?"])
def test_the_llm_is_asked_for_a_vague_time_in_a_question_for_a_date(llm_server: ScriptedLLM, text: str) -> None:
    llm_server.chat.say(json.dumps({"first_day": "2025-06-01", "last_day": ""}))
    assert analyse(ask(text), llm=make_llm(llm_server)).window is not None


@pytest.mark.parametrize(
    "answer",
    [
        {"first_day": "", "last_day": ""},
        {"first_day": "the day before", "last_day": "soon"},
        {"first_day": "2025-02-31", "last_day": ""},
        {"first_day": "9999-12-31", "last_day": "9999-12-31"},
        {"first_day": "2025-06-03", "last_day": "2025-06-01"},
    ],
)
def test_an_answer_without_dates_is_no_window(llm_server: ScriptedLLM, answer: dict[str, str]) -> None:
    llm_server.chat.say(json.dumps(answer))
    assert analyse(ask(VAGUE), llm=make_llm(llm_server)).window is None


def test_an_open_answer_is_an_open_window(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say(json.dumps({"first_day": "2025-06-01", "last_day": ""}))
    window = analyse(ask(VAGUE), llm=make_llm(llm_server)).window
    assert window is not None
    assert (window.start, window.end) == (datetime(2025, 6, 1, tzinfo=UTC), None)


def test_a_failing_llm_costs_the_window_and_not_the_answer(llm_server: ScriptedLLM) -> None:
    llm_server.chat.fail(500)
    assert analyse(ask(VAGUE), llm=make_llm(llm_server, max_retries=0)).window is None


def test_a_faulty_answer_is_no_window_and_is_paid_for(llm_server: ScriptedLLM) -> None:
    llm_server.chat.say("no idea")
    llm_server.chat.say("still none")
    analysis = analyse(ask(VAGUE), llm=make_llm(llm_server))
    assert analysis.window is None
    assert analysis.usage.calls == 2


@holds_to_a_time
def test_a_late_llm_is_not_waited_for(llm_server: ScriptedLLM, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_window, "SECONDS", 0.2)
    llm_server.chat.say_late("{}", delay=5)
    started = time.perf_counter()
    assert analyse(ask(VAGUE), llm=make_llm(llm_server)).window is None
    assert time.perf_counter() - started < 3
