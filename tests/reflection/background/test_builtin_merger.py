import pytest

from reflection.background.builtin_merger import (
    MOST_CHARACTERS,
    MOST_NEWS,
    NO_ROOM,
    TOO_LONG,
    BuiltinMerger,
    merge_backgrounds,
)
from reflection.background.merger import MergedBackground, News


def test_the_new_birthplace_takes_the_place_of_the_old_one_and_the_rest_is_added() -> None:
    merged = merge_backgrounds(
        "I was born in Colorado.", "I was born in Texas and have 10 years of startup experience."
    )

    assert merged == "I was born in Texas and have 10 years of startup experience."


@pytest.mark.parametrize(
    ("background", "news", "merged"),
    [
        ("", "I was born in Texas.", "I was born in Texas."),
        ("I like tea.", "I like coffee.", "I like tea. I like coffee."),
        ("I like tea.", "I like tea.", "I like tea."),
        (
            "I was born in Colorado and live in Denver. I like tea.",
            "I was born in Texas.",
            "I live in Denver. I like tea. I was born in Texas.",
        ),
        ("I work in tech.", "I work as a machine learning engineer.", "I work as a machine learning engineer."),
        ("I work as a nurse.", "I work at Acme.", "I work as a nurse. I work at Acme."),
        ("I am based in Paris.", "I moved to Rome.", "I moved to Rome."),
        ("My favourite colour is red.", "My favorite color is blue.", "My favorite color is blue."),
        (
            "My favourite colour is red.",
            "My favourite food is rice.",
            "My favourite colour is red. My favourite food is rice.",
        ),
        ("I have two children.", "I have three children.", "I have three children."),
        (
            "I have 3 years of startup experience.",
            "I have 10 years of startup experience.",
            "I have 10 years of startup experience.",
        ),
        ("I was born in Texas.", "My brother was born in Ohio.", "I was born in Texas. My brother was born in Ohio."),
        ("I was born in Texas.", "I was not born in Utah.", "I was born in Texas. I was not born in Utah."),
        ("I was born in 1990.", "I was born in Texas.", "I was born in 1990. I was born in Texas."),
    ],
)
def test_conflicts_go_to_the_news_and_details_add_up(background: str, news: str, merged: str) -> None:
    assert merge_backgrounds(background, news) == merged


HOME = "I live in Austin, Texas and work as a teacher. I like tea."


@pytest.mark.parametrize(
    ("background", "news", "merged"),
    [
        (HOME, "I don't live in Texas any more.", "I work as a teacher. I like tea."),
        (HOME, "I no longer live in Texas.", "I work as a teacher. I like tea."),
        (HOME, "I do not live in Texas anymore!", "I work as a teacher. I like tea."),
        (HOME, "I no longer work as a teacher.", "I live in Austin, Texas. I like tea."),
        (HOME, "I don\u2019t like tea any longer.", "I live in Austin, Texas and work as a teacher."),
        (HOME, "I don't live in Rome any more.", HOME),
        (
            HOME,
            "I no longer work as a teacher but as a nurse.",
            "I live in Austin, Texas. I like tea. I work as a nurse.",
        ),
        (
            HOME,
            "I no longer live in Texas but I have a dog.",
            "I work as a teacher. I like tea. I have a dog.",
        ),
        (
            HOME,
            "I don't live in Texas any more and work as a nurse.",
            "I like tea. I work as a nurse.",
        ),
        (HOME, "I live in Rome and no longer work as a teacher.", "I like tea. I live in Rome."),
        ("I was born in Texas and live in Texas.", "I no longer live in Texas.", "I was born in Texas."),
        ("I'm married.", "I am no longer married.", ""),
        ("I am single.", "I am not married any more.", "I am single."),
        ("My favourite colour is red.", "My favourite colour is no longer red.", ""),
        ("I can swim.", "I can't swim any more.", ""),
        ("I am based in Rome.", "I'm no longer based in Rome.", ""),
        ("I live in Texas.", "I don't live in Texas.", "I don't live in Texas."),
        ("I like tea.", "I never drink coffee.", "I like tea. I never drink coffee."),
        ("I live with two cats.", "I no longer have two cats.", ""),
        ("I own three dogs.", "I don't have dogs any more.", ""),
        ("I live in Rome with two cats.", "I no longer have cats.", "I live in Rome."),
        ("I live with my parents.", "I no longer have a dog.", "I live with my parents."),
    ],
)
def test_what_is_no_longer_so_is_taken_away_and_not_told(background: str, news: str, merged: str) -> None:
    assert merge_backgrounds(background, news) == merged


@pytest.mark.parametrize(
    ("background", "news", "left"),
    [
        (HOME, "I quit teaching and am a pilot now.", "I live in Austin, Texas. I like tea."),
        ("I am a teacher.", "I have given up teaching.", ""),
        ("I teach maths.", "I stopped teaching last year.", ""),
        ("I teach and sing.", "I stopped teaching.", "I teach and sing."),
        ("I am a runner.", "I quit running.", ""),
        ("I smoke.", "I gave up smoking.", ""),
        ("I drink coffee.", "I stopped drinking tea.", "I drink coffee."),
        ("I drink a lot of coffee.", "I stopped drinking coffee.", ""),
        (HOME, "I quit my job as a teacher.", "I live in Austin, Texas. I like tea."),
        ("I work at Acme.", "I left Acme.", ""),
        ("I live in Texas and was born in Texas.", "I left Texas.", "I was born in Texas."),
        (HOME, "I quit singing.", HOME),
        ("I am a teacher.", "I left my umbrella.", "I am a teacher."),
        ("I like bed and breakfast.", "I stopped being late.", "I like bed and breakfast."),
        ("I wing it.", "I quit.", "I wing it."),
    ],
)
def test_what_was_given_up_is_taken_away_and_that_is_told(background: str, news: str, left: str) -> None:
    assert merge_backgrounds(background, news) == f"{left} {news}".strip()


@pytest.mark.parametrize(
    ("background", "news", "merged"),
    [
        (
            "I was born in Colorado, live in Rome and work as a teacher.",
            "I live in Paris.",
            "I was born in Colorado and work as a teacher. I live in Paris.",
        ),
        (
            "My name is Ada, I live in Rome, and I work as a teacher.",
            "I work as a nurse.",
            "My name is Ada and I live in Rome. I work as a nurse.",
        ),
        (
            "My favourite colour is red and my favourite food is soup.",
            "My favorite color is blue.",
            "My favourite food is soup. My favorite color is blue.",
        ),
        (
            "My favourite colour is red, my favourite food is soup and I like tea.",
            "Rice is my favorite food.",
            "My favourite colour is red and I like tea. Rice is my favorite food.",
        ),
        ("I am 30 years old, live in Rome.", "I turned 31.", "I live in Rome. I turned 31."),
        ("I live in Austin, Texas and like tea.", "I live in Rome.", "I like tea. I live in Rome."),
        (
            "I want to live in Rome and work as a cook.",
            "I work as a nurse.",
            "I want to live in Rome and work as a cook. I work as a nurse.",
        ),
        (
            "I like red, blue and green.",
            "I live in Rome.",
            "I like red, blue and green. I live in Rome.",
        ),
    ],
)
def test_clauses_stand_or_fall_by_themselves(background: str, news: str, merged: str) -> None:
    assert merge_backgrounds(background, news) == merged


@pytest.mark.parametrize(
    ("background", "news", "merged"),
    [
        ("I have three dogs. I like tea.", "I don't have dogs anymore.", "I like tea."),
        ("I have two small dogs.", "I no longer have a dog.", ""),
        ("I have a dog collar.", "I don't have dogs anymore.", "I have a dog collar."),
        ("I live in Oslo.", "I never lived in Oslo.", "I never lived in Oslo."),
        ("I don't have dogs.", "I have two dogs.", "I have two dogs."),
        ("I don't have cats.", "I have two dogs.", "I don't have cats. I have two dogs."),
        ("I am a pilot now. I like tea.", "I am not a pilot.", "I like tea. I am not a pilot."),
        ("I am now a pilot.", "I am not a pilot anymore.", ""),
        ("I am not a pilot.", "I am a pilot now.", "I am a pilot now."),
        ("I love jazz.", "I don't like jazz.", "I don't like jazz."),
        ("I like jazz.", "I don't love jazz.", "I like jazz. I don't love jazz."),
    ],
)
def test_a_denial_takes_away_what_says_more_of_the_same(background: str, news: str, merged: str) -> None:
    assert merge_backgrounds(background, news) == merged


def merge(background: str, news: str) -> MergedBackground:
    return BuiltinMerger().merge(background, News((news,), "Ada"))


def test_a_long_background_loses_the_oldest_of_what_can_be_said_twice() -> None:
    background = "I was born in Texas."
    for number in range(60):
        background = merge(background, f"I like the number {number} very much.").text

    merged = merge(background, "I live in Rome.").text

    assert len(merged) <= MOST_CHARACTERS
    assert merged.startswith("I was born in Texas.")
    assert merged.endswith("I live in Rome.")
    assert "the number 0 " not in merged
    assert "the number 59 " in merged


@pytest.mark.parametrize("length", [MOST_NEWS + 1, 20_000])
def test_news_that_are_too_long_are_refused_and_wipe_nothing(length: int) -> None:
    background = "I was born in Colorado. I live in Rome."
    refused = merge(background, "I care " + "very " * (length // 5) + "much about bikes.")
    assert (refused.text, refused.refused) == (background, TOO_LONG)


def test_the_longest_news_leave_what_can_be_said_only_once() -> None:
    background = "I was born in Colorado. I live in Rome. I like tea."
    merged = merge(background, f"I care {'very ' * 150}much about bikes.")
    assert merged.text.startswith(background)


def test_a_background_that_somebody_set_is_not_cut_because_it_is_long() -> None:
    background = " ".join(f"I like the number {number} very much." for number in range(200))
    merged = merge(background, "I live in Rome.").text
    assert len(background) - 50 < len(merged) <= len(background)
    assert merged.endswith("the number 199 very much. I live in Rome.")


def test_where_nothing_may_be_dropped_news_are_refused() -> None:
    background = " ".join(f"My favourite number{number} is {number}." for number in range(60))
    full = background[: background[:MOST_CHARACTERS].rfind(".") + 1]
    refused = merge(full, f"I care {'very ' * 100}much about bikes.")
    assert (refused.text, refused.refused) == (full, NO_ROOM)


@pytest.mark.parametrize(
    ("news", "told"),
    [
        ("I like cats. " * 50, "I like cats."),
        ("I like cats and own a boat. I own a boat! I like dogs.", "I like cats and own a boat. I like dogs."),
    ],
)
def test_what_the_news_says_twice_is_told_once(news: str, told: str) -> None:
    assert merge("I live in Rome.", news).text == f"I live in Rome. {told}"
