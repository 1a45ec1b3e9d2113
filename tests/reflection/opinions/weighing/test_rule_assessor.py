"""Verdicts by rules: sure, or neutral."""

from datetime import UTC, datetime

import pytest

from providers.registry import get_embedder
from reflection.opinions.weighing.assessing import NewFact, OpinionQuestion
from reflection.opinions.weighing.rule_assessor import RuleAssessor
from tenants.identifiers import uuid7

NOON = datetime(2025, 5, 1, 12, tzinfo=UTC)
FERRY = "I think that the Faro ferry is reliable."
DATABASE = "I think that Postgres is a reliable database."
MECHANIC = "I think that Dana is a brilliant mechanic."
HUGO = "I think that Hugo is kind."
JENKINS = "I think Jenkins is reliable."
REMOTE = "I think that remote work is beneficial."


def judge(opinion: str, text: str) -> str:
    one, other = get_embedder().embed_documents([opinion, text]).vectors
    return judge_near(opinion, text, cosine=float(one @ other))


def judge_near(opinion: str, text: str, cosine: float = 0.9) -> str:
    fact = NewFact(uuid7(), text, NOON, NOON, cosine=cosine, shared=1)
    (found,) = RuleAssessor().assess([OpinionQuestion(uuid7(), opinion, 0.7, (fact,))]).assessments
    assert found.text == ""
    return found.verdicts[0].value


@pytest.mark.parametrize(
    ("opinion", "fact", "verdict"),
    [
        (FERRY, "The Faro ferry was reliable and punctual all winter.", "reinforce"),
        (FERRY, "The Faro ferry was not reliable in August.", "contradict"),
        (FERRY, "The Faro ferry crashed into the pier in August.", "weaken"),
        ("I think that the Faro ferry is unreliable.", "The Faro ferry failed again in May.", "reinforce"),
        ("I don't think that the Faro ferry is reliable.", "The Faro ferry is reliable.", "contradict"),
        (DATABASE, "Postgres was reliable in May.", "reinforce"),
        (DATABASE, "Postgres was never reliable in May.", "contradict"),
        (DATABASE, "The Postgres database failed in May.", "weaken"),
        (MECHANIC, "Dana is an excellent mechanic.", "reinforce"),
        (MECHANIC, "All customers trust Dana as a mechanic.", "reinforce"),
        (REMOTE, "Remote work was beneficial for the team.", "reinforce"),
        ("I think that Mario's food is excellent.", "Mario's food was awful on Monday.", "weaken"),
        ("I think that James is a reliable mechanic.", "James is not a reliable mechanic.", "contradict"),
        ("I think that James is a reliable mechanic.", "James is an unreliable mechanic.", "contradict"),
        ("I think Bill is reliable.", "Bill is unreliable.", "contradict"),
        ("I think Bill is unreliable.", "Bill is reliable.", "contradict"),
        ("I think that Caroline is great.", "Caroline is terrible.", "weaken"),
        (MECHANIC, "Dana is terrible as a mechanic.", "weaken"),
        (MECHANIC, "Dana has been a dishonest old mechanic.", "weaken"),
        (MECHANIC, "In May Dana was an unreliable mechanic.", "weaken"),
        (MECHANIC, "Dana excels as a mechanic.", "reinforce"),
        (FERRY, "The Faro ferry won a prize for its excellent service.", "reinforce"),
        (FERRY, "All passengers distrust the Faro ferry.", "weaken"),
        ("I think that Postgres is reliable.", "Postgres crashed in May.", "weaken"),
        ("I think that Postgres is reliable.", "Postgres never fails.", "reinforce"),
        ("I think Dana is good for Java.", "Dana is bad for Java.", "weaken"),
        ("I think cats are pleasant.", "Cats are awful.", "weaken"),
        ("I think this road is good.", "This road is terrible.", "weaken"),
        (HUGO, "Hugo is kind to nobody.", "contradict"),
        (HUGO, "Hugo is rude.", "weaken"),
        ("I think that Acme is great.", "Acme failed to deliver.", "weaken"),
        (JENKINS, "Jenkins crashed three times today.", "weaken"),
        (JENKINS, "Jenkins crashed 12 times in May.", "weaken"),
        (JENKINS, "Jenkins failed a couple of times.", "weaken"),
        (JENKINS, "Jenkins crashed again and again.", "weaken"),
        (JENKINS, "Jenkins crashed time and again.", "weaken"),
        (JENKINS, "Jenkins failed two days in a row.", "weaken"),
        (JENKINS, "Jenkins crashed an hour ago.", "weaken"),
        (JENKINS, "Jenkins failed a second time.", "weaken"),
    ],
)
def test_what_judges_the_same_thing_moves_the_opinion(opinion: str, fact: str, verdict: str) -> None:
    assert judge(opinion, fact) == verdict


@pytest.mark.parametrize(
    "fact",
    [
        "The Faro ferry leaves at noon.",  # judges nothing
        "Ana lives in Faro and loves jazz.",  # another thing
        "Ana thinks that the Faro ferry is not reliable.",  # a belief
        "The Faro ferry might fail in August.",  # a guess
        "The Faro ferry will fail in August.",  # a prophecy
        "According to Ana, the Faro ferry is terrible.",  # what somebody says
        "If it rains, the Faro ferry is not reliable.",  # a condition
        "The Faro ferry is better than the tram.",  # a comparison
        "The Faro ferry was reliable in May, but failed in August.",  # both ways
        "The Faro ferry is said to be terrible.",  # hearsay
    ],
)
def test_in_doubt_it_stays_neutral(fact: str) -> None:
    assert judge(FERRY, fact) == "neutral"


def test_an_opinion_that_compares_is_not_moved() -> None:
    assert judge("I think that Python is better than Julia.", "Julia is excellent and better.") == "neutral"


@pytest.mark.parametrize(
    ("opinion", "fact"),
    [
        (DATABASE, "Postgres became a less reliable database."),
        (DATABASE, "Postgres is anything but reliable."),
        (DATABASE, "Postgres stopped being a reliable database."),
        (DATABASE, "Postgres is not only reliable but also fast."),
        (DATABASE, "Postgres is as reliable a database as any."),
        (REMOTE, "Remote work is rarely beneficial."),
        (JENKINS, "Jenkins never failed a second time."),
        (JENKINS, "Jenkins has not crashed three times."),
        (REMOTE, "Remote work is far from beneficial."),
        (MECHANIC, "Dana repaired a faulty engine in an hour."),
        (MECHANIC, "Dana solved the problem of the mechanic next door."),
        (MECHANIC, "Dana lost her keys."),
        (MECHANIC, "Dana hates olives."),
        (MECHANIC, "Dana hates being a mechanic."),
        (MECHANIC, "Dana won the lottery."),
        (MECHANIC, "Dana loves jazz."),
        (MECHANIC, "Dana is a brilliant cook."),
        (MECHANIC, "Dana has a brilliant car."),
        (MECHANIC, "Dana's brother is a terrible mechanic."),
        (MECHANIC, "Tom is a terrible mechanic."),
    ],
)
def test_another_side_of_the_same_one_and_what_is_lessened_move_nothing(opinion: str, fact: str) -> None:
    assert judge(opinion, fact) == "neutral"


@pytest.mark.parametrize(
    ("opinion", "fact"),
    [
        (MECHANIC, "Dana hired a terrible mechanic."),
        (MECHANIC, "Dana replaced an unreliable mechanic."),
        (MECHANIC, "A bad mechanic sued Dana."),
        (MECHANIC, "Dana the mechanic had a terrible accident."),
        (MECHANIC, "Dana lost her job as a mechanic."),
        (MECHANIC, "Dana found a good mechanic for her car."),
        (MECHANIC, "Dana is married to a terrible mechanic."),
        (MECHANIC, "Dana is hiring terrible mechanics."),
        (MECHANIC, "Dana was terrible to a mechanic."),
        (MECHANIC, "Dana is a mechanic with a terrible car."),
        (MECHANIC, "Dana is a terrible cook and a mechanic."),
        (MECHANIC, "Dana failed her test as a mechanic."),
        (MECHANIC, "The teacher of the mechanic Dana is terrible."),
        (FERRY, "Ben hates the Faro ferry captain."),
        (FERRY, "The captain of the Faro ferry is terrible."),
        (FERRY, "The Faro ferry lost a terrible captain."),
        (HUGO, "Hugo failed in May."),
        (HUGO, "Hugo lost his mother."),
        (HUGO, "Hugo was lost in Rome."),
        ("I think that Java is good for Dana.", "Dana is good."),
        ("I think cats are pleasant.", "Ana met awful cats."),
        ("I think that Acme is great.", "Acme failed to find any faults in its product."),
        ("I think that Acme is great.", "Acme never failed to disappoint."),
        ("I think that Acme is great.", "Acme failed three times to find any faults in its product."),
        (JENKINS, "Jenkins failed three builds today."),
        (JENKINS, "Jenkins failed two builds in a row."),
        (JENKINS, "Jenkins crashed three times less in May."),
        (JENKINS, "Jenkins failed three times out of 900."),
    ],
)
def test_what_is_said_of_another_moves_nothing(opinion: str, fact: str) -> None:
    assert judge_near(opinion, fact) == "neutral"


@pytest.mark.parametrize(("names", "verdict"), [((), "neutral"), ((("Dana", "Dee"),), "reinforce")])
def test_one_who_has_two_names_is_judged_by_either(names: tuple[tuple[str, ...], ...], verdict: str) -> None:
    fact = NewFact(uuid7(), "Dee is a brilliant mechanic.", NOON, NOON, cosine=0.9, shared=1)
    (found,) = RuleAssessor().assess([OpinionQuestion(uuid7(), MECHANIC, 0.7, (fact,), names)]).assessments
    assert found.verdicts[0].value == verdict
