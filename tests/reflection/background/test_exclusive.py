"""What takes the place of what, and what only looks as if it did."""

import pytest

from reflection.background.builtin_merger import merge_backgrounds
from reflection.background.parts import split_parts


@pytest.mark.parametrize(
    ("background", "news"),
    [
        ("My name is Ada.", "My name is Bea."),
        ("My name is Ada.", "I am called Bea Meyer."),
        ("I was born in Colorado.", "I was born in Texas."),
        ("I was born in Colorado.", "I was born in the Netherlands."),
        ("I was born in 1985.", "I was born in 1986."),
        ("I was born on 3 May.", "I was born on June 4."),
        ("I was born on May 3, 1985.", "I was born on 1986-07-08."),
        ("I come from Ghana.", "I come from Peru."),
        ("I am 30 years old.", "I am 31."),
        ("I am 30.", "I have just turned 31."),
        ("I live in Rome.", "I live in Oslo now."),
        ("I live in Rome.", "I live in the city of Porto."),
        ("I live in Rome.", "I moved from Rome to Berlin."),
        ("I live in Rome.", "I've moved to Lisbon."),
        ("I moved from Rome to Berlin.", "Currently I live in Oslo."),
        ("I live in Texas.", "I live in Austin, Texas."),
        ("I work at Google.", "I work for the Red Cross."),
        ("I work at Google.", "I joined Initech as a developer."),
        ("My employer is Initech.", "I work at Globex."),
        ("I work at Globex.", "My new employer is Initech."),
        ("I work as a nurse.", "I now work as a teacher."),
        ("I work as a nurse.", "My profession is teaching."),
        ("I work in medicine.", "I work in finance."),
        ("I work in medicine.", "I work in the steel industry."),
        ("I work in tech.", "I work as a machine learning engineer."),
        ("I am married to Tom.", "I am divorced."),
        ("I am single.", "I am happily married to Tom."),
        ("I am engaged.", "I'm married."),
        ("I am single.", "I got married to Tom."),
        ("I am married to Tom.", "My husband is Bob."),
        ("I have two dogs.", "I have three dogs now."),
        ("I have two dogs.", "I have three dogs and a cat."),
        ("I have one child.", "I now have two children."),
        ("I have 3 years of startup experience.", "I have over 10 years of startup experience."),
        ("My favourite colour is red.", "Blue is my favorite color."),
        ("My purpose is to sell boats.", "My purpose is to sell bikes."),
        ("I was founded in 2019.", "I was founded in 2020."),
        ("I was created in 2019.", "I was founded in 2020 by Bob."),
        ("I like jazz.", "I hate jazz."),
        ("I dislike jazz.", "I really love jazz."),
        ("I work as a nurse.", "I am a pilot now."),
        ("I work as a nurse.", "I am now a data engineer."),
        ("I am a pilot now.", "I work as a nurse."),
    ],
)
def test_another_value_of_the_same_takes_its_place(background: str, news: str) -> None:
    merged = merge_backgrounds(f"I like tea. {background}", news)
    assert merged == f"I like tea. {news}"


@pytest.mark.parametrize(
    ("background", "news"),
    [
        ("I work at Google. I am married to Tom.", "I joined a chess club."),
        ("I work at Google.", "I joined Tom for lunch."),
        ("I work at Google. I am married to Tom.", "I am engaged in charity work."),
        ("I am married to Tom.", "I am engaged at the theatre."),
        ("I am married.", "I am single-minded."),
        ("I am married to Tom.", "I am married to my work."),
        ("I am married to Anna.", "My wife is French."),
        ("I am married to Anna.", "My wife is tired."),
        ("I am married to Anna.", "I am married."),
        ("I live in Rome.", "I moved to a vegetarian diet in May."),
        ("I live in Rome.", "I moved to Marketing."),
        ("I live in Rome.", "I live in fear of spiders."),
        ("I live in Rome.", "I live in a small flat."),
        ("I live in Rome.", "I live in Oslo in the summers."),
        ("I live in Austin, Texas.", "I live in Texas."),
        ("I work for Initech.", "I work for free on weekends."),
        ("I work for Initech.", "I work for Globex on Saturdays."),
        ("I work for Initech.", "I also work for Globex."),
        ("I work for Initech.", "I work at Christmas."),
        ("I work for Initech.", "I work at night."),
        ("I work in medicine.", "I work in the mornings."),
        ("I work in medicine.", "I work in Berlin."),
        ("I work in medicine.", "I work in silence."),
        ("I work as a nurse.", "I work as hard as I can."),
        ("I work as a nurse.", "I work as a team with Bob."),
        ("I work as a nurse.", "I work as a bartender on weekends."),
        ("I work as a nurse.", "My job is stressful."),
        ("I was born in Colorado.", "I was born in poverty."),
        ("I was born in Colorado.", "I was born in the 80s."),
        ("I was born in Colorado.", "I was born in May."),
        ("I was born in Colorado.", "I was born on a farm."),
        ("I was born in 1985.", "I was born on May 3."),
        ("I was born in 1985.", "I was born on the same day as Bob."),
        ("I am 30 years old.", "I turned 180 degrees."),
        ("My name is Ada.", "My name is often misspelled."),
        ("My name is Ada.", "I am called upon to judge."),
        ("My name is Jonathan.", "I go by Jon."),
        ("I have two dogs.", "I have three cats."),
        ("I was founded in 2019.", "I was founded by Ann."),
        ("I like jazz.", "I hate opera."),
        ("I like jazz.", "I hate jazz in the mornings."),
        ("I work as a nurse.", "I am a pilot."),
        ("I work as a nurse.", "I am a father now."),
        ("I work as a nurse.", "I am a better cook now."),
    ],
)
def test_what_only_looks_alike_is_added(background: str, news: str) -> None:
    assert merge_backgrounds(background, news) == f"{background} {news}"


@pytest.mark.parametrize(
    ("background", "news", "merged"),
    [
        ("I was born in Colorado in 1985.", "I was born in Texas.", "I was born in 1985. I was born in Texas."),
        ("I was born in 1985 in Colorado.", "I was born in Texas.", "I was born in 1985. I was born in Texas."),
        ("I was born in Colorado in 1985.", "I was born in 1986.", "I was born in Colorado. I was born in 1986."),
        (
            "I was born on May 3, 1985 in Ohio and like tea.",
            "I was born in 1986.",
            "I was born on May 3, was born in Ohio and like tea. I was born in 1986.",
        ),
        ("I was born and raised in Ohio.", "I was born in Texas.", "I was raised in Ohio. I was born in Texas."),
        ("I work as a nurse at Acme.", "I work as a doctor.", "I work at Acme. I work as a doctor."),
        ("I work at Acme as a nurse.", "I work at Globex.", "I work as a nurse. I work at Globex."),
        ("I live in Rome with my wife Anna.", "I live in Oslo.", "I live with my wife Anna. I live in Oslo."),
        ("I was born in Ohio on 3 May 1985.", "I was born in Texas.", "I was born on 3 May 1985. I was born in Texas."),
        ("I have two dogs and a cat.", "I have three dogs.", "I have a cat. I have three dogs."),
        ("I like jazz and hate opera.", "I love opera.", "I like jazz. I love opera."),
        (
            "I was founded by Ann in 2019.",
            "I was founded in 2020 by Bob.",
            "I was founded by Ann. I was founded in 2020 by Bob.",
        ),
        ("I am married to Tom with two kids.", "I am divorced.", "I have two kids. I am divorced."),
        (
            "I was born in Colorado in 1985.",
            "I was born in Texas in 1986.",
            "I was born in Texas in 1986.",
        ),
    ],
)
def test_of_a_clause_that_tells_several_things_only_the_one_goes(background: str, news: str, merged: str) -> None:
    assert merge_backgrounds(background, news) == merged


@pytest.mark.parametrize(
    ("clause", "parts"),
    [
        ("I live in Rome.", ["I live in Rome"]),
        ("I was born in May 1985", ["I was born in May", "I was born in 1985"]),
        ("I was born in a barn on a Monday", ["I was born in a barn on a Monday"]),
        ("I\u2019m married with three cats", ["I am married", "I have three cats"]),
        ("I work as well as I can for my age", ["I work as well as I can for my age"]),
    ],
)
def test_a_clause_is_as_many_parts_as_it_tells_things(clause: str, parts: list[str]) -> None:
    assert split_parts(clause) == parts


@pytest.mark.parametrize("clause", [f"I have {'two a ' * 200}dogs", f"I live in Rome {'with a cat ' * 100}"])
def test_what_is_too_long_for_a_statement_stays_as_it_is_said(clause: str) -> None:
    news = "I live in Oslo and have one dog."
    assert merge_backgrounds(f"{clause.strip()}.", news) == f"{clause.strip()}. {news}"
    assert split_parts(clause * 100) == [(clause * 100).strip()]
