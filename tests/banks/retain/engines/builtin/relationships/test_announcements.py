"""What is told to change on a day to come, and what is left as it is."""

import pytest

from banks.retain.relationships.relations import Ending
from tests.banks.retain.engines.builtin.talk import told


def changes(text: str) -> list[tuple[str, str, str, str]]:
    """Endings with a minus before their relation."""
    return [
        (one.subject, f"{'-' * isinstance(one, Ending)}{one.relation}", one.object, f"{one.valid_from:%Y-%m-%d}")
        for fact in told(f"Ann: {text}")
        for one in fact.relationships
        if one.valid_from
    ]


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("I'm moving to Rome next month.", ("Ann", "lives_in", "Rome", "2023-06-01")),
        ("I'm moving to Rome in March 2027, not next month.", ("Ann", "lives_in", "Rome", "2027-03-01")),
        ("I will move to Rome in January 2027.", ("Ann", "lives_in", "Rome", "2027-01-01")),
        ("I'm going to move to Rome in January 2027.", ("Ann", "lives_in", "Rome", "2027-01-01")),
        ("In January 2027 we're moving into a flat in Rome.", ("Ann", "lives_in", "Rome", "2027-01-01")),
        ("I sold my flat and I'm moving to Rome next month.", ("Ann", "lives_in", "Rome", "2023-06-01")),
        ("My sister is relocating to Rome tomorrow.", ("Ann's sister", "lives_in", "Rome", "2023-05-09")),
        ("Starting in April 2027 I will live in Rome.", ("Ann", "lives_in", "Rome", "2027-04-01")),
        ("I'll be working at Bosch from March 2027.", ("Ann", "works_at", "Bosch", "2027-03-01")),
        ("I'm starting at Bosch on 1 March 2027.", ("Ann", "works_at", "Bosch", "2027-03-01")),
        ("I start at Bosch on 7 June 2099.", ("Ann", "works_at", "Bosch", "2099-06-07")),
        ("I start at Stripe on 7 June 2027.", ("Ann", "works_at", "Stripe", "2027-06-07")),
        ("I am starting in May 2027 at Siemens.", ("Ann", "works_at", "Siemens", "2027-05-01")),
        ("I'm going to start working at Bosch in March 2027.", ("Ann", "works_at", "Bosch", "2027-03-01")),
        ("I will start a new job at Bosch in March 2027.", ("Ann", "works_at", "Bosch", "2027-03-01")),
        ("I'm starting as a data analyst at Bosch in March 2027.", ("Ann", "works_at", "Bosch", "2027-03-01")),
        ("My new job at Bosch starts in March 2027.", ("Ann", "works_at", "Bosch", "2027-03-01")),
        ("My move to Rome is postponed to March 2027.", ("Ann", "lives_in", "Rome", "2027-03-01")),
        ("Lena starts at Lidl in May 2027.", ("Lena", "works_at", "Lidl", "2027-05-01")),
        ("On 1 June 2027 Lena starts at Lidl.", ("Lena", "works_at", "Lidl", "2027-06-01")),
        ("I'm leaving Siemens on 3 May 2027.", ("Ann", "-works_at", "Siemens", "2027-05-03")),
        ("I will leave Siemens at the end of January 2027.", ("Ann", "-works_at", "Siemens", "2027-02-01")),
        ("I'm quitting my job at Siemens next month.", ("Ann", "-works_at", "Siemens", "2023-06-01")),
        ("I will retire in May 2027.", ("Ann", "-works_at", "", "2027-05-01")),
        ("From May 2027 I will no longer work at Siemens.", ("Ann", "-works_at", "Siemens", "2027-05-01")),
    ],
)
def test_a_change_is_announced_for_the_day_that_is_named(text: str, change: tuple[str, str, str, str]) -> None:
    assert changes(text) == [change]


@pytest.mark.parametrize(
    "text",
    [
        "I will move to Rome some day.",
        "I'm moving to Python next month.",
        "My visit to Rome is postponed to March 2027.",
        "I start at Gold's Gym on 1 December 2027.",
        "I want to move to Rome in January 2027.",
        "I'm planning to move to Rome in January 2027.",
        "Maybe I'll move to Rome next month.",
        "I might move to Rome next month.",
        "I think I'll move to Rome next month.",
        "If I get the job, I'm moving to Rome next month.",
        "I'm moving to Rome or Oslo next month.",
        "Will I move to Rome next month?",
        "I will not move to Rome in January 2027.",
        "I was going to move to Rome in January 2027.",
        "They asked me to move to Rome in May 2027.",
        "I will call you when I move to Rome in May 2027.",
        "I'm moving to Rome by May 2027.",
        "I'm moving to Rome after my exam on 3 May 2027.",
        "I'm moving to Rome, my lease starts in January 2027.",
        "I'm moving to Rome for three months in January 2027.",
        "I'm moving my sofa to Rome next month.",
        "I'm moving to the next level in May 2027.",
        "I'm moving to Google next month.",
        "I will live in Rome in May 2027.",
        "I'm going to Rome in January 2027.",
        "I'm starting at Stanford University in October 2027.",
        "I hope to start at Bosch on 1 March 2027.",
        "I start at six on Monday.",
        "The race starts at Central Park on 3 May 2027.",
        "I'm leaving Siemens early tomorrow.",
        "I'm leaving Siemens at 5 pm tomorrow.",
        "I'm leaving for Rome next month.",
    ],
)
def test_what_is_wished_doubted_denied_or_has_no_day_changes_nothing(text: str) -> None:
    assert changes(text) == []


def test_who_goes_somewhere_and_lives_elsewhere_lives_there() -> None:
    (fact,) = told("Ann: I'm going to Rome next month and I live in Berlin.")
    assert [(one.relation, one.object) for one in fact.relationships] == [("lives_in", "Berlin")]
