import pytest

from reflection.background.builtin_merger import MOST_CHARACTERS, merge_backgrounds


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
    ],
)
def test_what_is_no_longer_so_is_taken_away_and_not_told(background: str, news: str, merged: str) -> None:
    assert merge_backgrounds(background, news) == merged


def test_a_long_background_loses_the_oldest_of_what_can_be_said_twice() -> None:
    background = "I was born in Texas. " + " ".join(f"I like the number {number} very much." for number in range(60))

    merged = merge_backgrounds(background, "I live in Rome.")

    assert len(merged) <= MOST_CHARACTERS
    assert merged.startswith("I was born in Texas.")
    assert merged.endswith("I live in Rome.")
    assert "the number 0 " not in merged
    assert "the number 59 " in merged
