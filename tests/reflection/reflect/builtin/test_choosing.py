"""Questions to the built-in engine that what is nearest to their words does not answer."""

from datetime import UTC, datetime
from typing import Any

import pytest

from reflection.reflect.builtin.choosing import choose
from reflection.reflect.builtin.former import read_former
from reflection.reflect.builtin.introductions import find_own_name
from reflection.reflect.builtin.rewording import ask_otherwise
from retrieval.types import RecallItem, Voice
from tests.reflection.reflect.builtin.test_extracting import WordReranker
from tests.reflection.reflect.remembered import gather, make_item
from tests.retrieval.fakes import WordEmbedder

ASKED_AT = datetime(2026, 11, 16, 9, tzinfo=UTC)


def on(month: int, day: int = 10) -> datetime:
    return datetime(2026, month, day, tzinfo=UTC)


def say(number: int, text: str, **fields: Any) -> RecallItem:
    return make_item(number, f"User: {text}", voices=(Voice("User", "user"),), **fields)


def answer(question: str, *items: RecallItem) -> list[int]:
    chosen = choose(question, gather(*items).memories, WordReranker(), WordEmbedder(), asked_at=ASKED_AT)
    return [piece.memory.label for piece in chosen.evidence]


@pytest.mark.parametrize(
    "question", ["What is my name?", "What's my first name?", "Do you know what my name is?", "What am I called?"]
)
def test_who_introduced_himself_has_told_his_name(question: str) -> None:
    nadia = say(1, "Hi! User is Nadia, User just started a new job.", entities=("User", "Nadia"))
    german = say(2, "User is German and sleeps a lot.", entities=("User",))
    assert answer(question, german, nadia) == [2]
    assert find_own_name(question, gather(german).memories) == []
    assert find_own_name("What is my job?", gather(nadia).memories) == []


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Where did I work before?", [1]),
        ("Where did I work before that?", [1]),
        ("Where did I work before Bosch?", [1]),
        ("Where did I work before the Bosch?", [1]),
        ("Where did I work?", [1, 2]),
    ],
)
def test_what_was_so_before_is_not_what_is_so_now(question: str, told: list[int]) -> None:
    former = say(1, "where did User work: at Siemens", mentioned_at=on(1), expired_at=on(6))
    present = say(2, "where did User work: at Bosch", mentioned_at=on(6))
    assert answer(question, former, present) == told
    still_open = say(1, "where did User work: at Siemens", mentioned_at=on(1))
    assert answer(question, still_open, present) == told


def test_before_a_day_or_an_event_is_no_state_before() -> None:
    assert read_former("What did I buy the day before?") is None
    assert read_former("When did I work before?") is None
    assert read_former("What did I eat before dinner?") is None


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Where did I live in April 2026?", [1]),
        ("Where did I live in July 2026?", [2]),
        ("Where did I live in June 2026?", [1, 2]),
    ],
)
def test_what_was_so_at_a_time_is_known_by_its_validity(question: str, told: list[int]) -> None:
    denver = say(1, "where did User live? Denver", mentioned_at=on(1), valid_until=on(6), expired_at=on(6))
    reno = say(2, "where did User live? Reno", mentioned_at=on(6), valid_from=on(6))
    assert answer(question, denver, reno) == told


MUM = say(1, "Mum turned 60 on Thursday (Thursday, July 2, 2026).", occurred_start=on(7, 2), occurred_end=on(7, 3))
LISBON = say(2, "User booked flights to Lisbon.", mentioned_at=on(6), occurred_start=on(8, 3), occurred_end=on(8, 11))
EXAM = say(
    3,
    "Jonas left on 13 July 2026. User has an exam on 24 November 2026.",
    occurred_start=on(7, 13),
    occurred_end=on(7, 14),
)
MUM_LATE = say(7, "Mum turned 60 on 30 July 2026.", occurred_start=on(7, 30), occurred_end=on(7, 31))
HIKE = say(4, "User saw a bear.", mentioned_at=on(7, 20))


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What did I do in July?", [1, 3, 4]),
        ("In July, what did I do?", [1, 3, 4]),
        ("What did I do before Easter?", []),
        ("What happened in July 2026?", [1, 3, 4]),
        ("What am I doing on 24 November?", [3]),
        ("What did I do in March?", []),
        ("Where did I go on holiday this summer?", [2]),
        ("What did I buy in July?", []),
    ],
)
def test_where_only_a_time_is_asked_for_what_is_of_it_is_told_in_its_order(question: str, told: list[int]) -> None:
    assert answer(question, HIKE, EXAM, LISBON, MUM) == [{1: 4, 2: 3, 3: 2, 4: 1}[label] for label in told]


def test_what_happened_at_a_time_is_looked_for_without_the_words_of_the_time() -> None:
    bought = [say(number, "User did buy a bike", mentioned_at=on(month)) for number, month in ((1, 5), (2, 7))]
    assert answer("What did I buy on 10 July 2026 around 9 in the morning?", *bought) == [2]


def test_what_has_a_date_of_the_time_comes_before_what_was_only_told_then() -> None:
    undated = [say(number, f"User saw bear {number}.", mentioned_at=on(7, number)) for number in range(1, 7)]
    told = answer("What did I do in July?", *undated, MUM_LATE)
    assert told[-1] == 7
    assert len(told) == 5


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Did I sell something recently?", "What did I sell?"),
        ("Have I bought anything new lately?", "What have I bought?"),
        ("Did my brother buy anything at the fair?", "What did my brother buy at the fair?"),
        ("Did I meet anyone in Rome?", "Who did I meet in Rome?"),
        ("Did I sell the bike?", ""),
    ],
)
def test_something_is_a_blank(question: str, asked: str) -> None:
    assert ask_otherwise(question) == asked


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("User: Pixel has what health problems she do have", False),
        ('User told me: "Pixel has what health problems she do have"', False),
        ('User told me: "Pixel has what health problems I do have"', True),
        ("User: Pixel has what health problems User do have", True),
        ("User: Pixel has what health problems we do have", True),
    ],
)
def test_a_pronoun_of_another_does_not_make_it_the_askers(text: str, *, is_told: bool) -> None:
    item = make_item(1, text, voices=(Voice("User", "user"),))
    assert answer("What health problems do I have?", item) == ([1] if is_told else [])


def test_what_came_before_is_told_by_nothing_that_names_what_came_later() -> None:
    assert answer("Where did I work before Bosch?", say(1, "User did work at Bosch", mentioned_at=on(6))) == []


HUSBAND, CARPENTER = "Nadia's husband is Viktor.", "What job Viktor does: carpenter"


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who is my husband?", [1]),
        ("Who's my husband now?", [1]),
        ("What is the name of my husband?", [1]),
        ("What is my husband's name?", [1]),
        ("Who is Nadia's husband?", [2]),
        ("Who is the husband of Nadia?", [2]),
        ("Who is Lou's wife?", [7]),
        ("Who is Ida's wife?", [7]),
        ("Who is Ida's girlfriend?", []),
        ("Who is my dad?", [3]),
        ("Who is my father?", [3]),
        ("Who is my best friend?", [5]),
        ("Who is my new friend?", [6, 5]),
    ],
)
def test_whose_relative_somebody_is_tells_who_he_is(question: str, told: list[int]) -> None:
    items = [
        say(1, "My husband Daniel cooks."),
        say(2, HUSBAND),
        say(3, "Otto is User's dad."),
        say(4, "User's former husband Bert is gone.", mentioned_at=on(11)),
        say(5, "User's best friend is Mia.", mentioned_at=on(1)),
        say(6, "User's friend Lou is here.", mentioned_at=on(2)),
        say(7, "Lou just got married to Ida."),
    ]
    assert answer(question, *items) == told


def test_a_relative_of_somebody_else_is_not_told_as_the_askers() -> None:
    assert answer("Who is my uncle?", say(1, "Who is Nadia's uncle: Bert.")) == []
    assert answer("Who is my uncle?", say(1, "Who is my good uncle: Bert.")) == [1]


def test_of_several_the_one_who_was_told_last_comes_first_and_as_plainly_as_possible() -> None:
    items = [
        say(1, "User's boss is Henrik.", mentioned_at=on(5)),
        say(2, "User's new boss Carla is moving in on Friday.", mentioned_at=on(10)),
        say(3, "Carla is User's boss.", mentioned_at=on(9)),
    ]
    assert answer("Who is my boss?", *items) == [3, 1]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What job does Nadia's husband do?", [2]),
        ("What job does the husband of Nadia do?", [2]),
        ("What does my father do?", [3]),
    ],
)
def test_of_a_relative_more_is_known_by_his_name_and_by_other_words_for_him(question: str, told: list[int]) -> None:
    items = [say(1, HUSBAND), say(2, CARPENTER), say(3, "My dad mends pipes.")]
    assert answer(question, *items)[:1] == told


@pytest.mark.parametrize(("question", "told"), [("Where will I live next year?", [1]), ("Where do I live?", [2, 1])])
def test_what_will_be_so_is_known_by_its_validity(question: str, told: list[int]) -> None:
    december = datetime(2026, 12, 1, tzinfo=UTC)
    present = say(2, "where do will User live: in Berlin", valid_until=december)
    coming = say(1, "where do will User live: in Rome", valid_from=december, occurred_start=december)
    assert answer(question, coming, present) == told
