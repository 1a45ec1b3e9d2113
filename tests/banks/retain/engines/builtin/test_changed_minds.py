"""A change of mind in a conversation, as an opinion that reflection knows for one."""

import pytest

from banks.english.parser import parse
from banks.retain.engines.builtin.judging import find_judgements
from banks.words import Network
from tests.banks.retain.engines.builtin.talk import make_passage, told

NOW_BAD = "but now I think she is an unreliable mechanic."


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (
            "Previously I thought Dana is a brilliant mechanic, but now I think she is an unreliable mechanic.",
            f"Previously I thought Dana is a brilliant mechanic, {NOW_BAD}",
        ),
        (
            "I used to think Dana is a brilliant mechanic, but now I believe Dana is a bad mechanic.",
            "Previously I thought Dana is a brilliant mechanic, but now I believe Dana is a bad mechanic.",
        ),
        (
            "Previously I thought Dana is a brilliant mechanic. But now I think she is an unreliable mechanic.",
            f"Previously I thought Dana is a brilliant mechanic, {NOW_BAD}",
        ),
        (
            "At first I believed that tea is dull. Now, I find it exciting.",
            "Previously I believed tea is dull, but now I find it exciting.",
        ),
        (
            "I no longer think that Dana is shy. I think she is bold.",
            "Previously I thought Dana is shy, but now I think she is bold.",
        ),
        (
            "I don't believe Dana is shy anymore, but now I'm convinced that she is bold.",
            "Previously I believed Dana is shy, but now I believe that she is bold.",
        ),
        (
            "I once thought the ferry was slow; now I\u2019m sure it is fast.",
            "Previously I thought the ferry was slow, but now I believe it is fast.",
        ),
        (
            "I initially assumed Dana is shy, but now she seems rather bold.",
            "Previously I assumed Dana is shy, but now I think she seems rather bold.",
        ),
    ],
)
def test_a_change_of_mind_is_one_opinion_in_the_words_that_reflection_knows(said: str, text: str) -> None:
    [judgement] = find_judgements(parse([said])[0])
    assert judgement.text == text
    assert (judgement.start, judgement.end) == (0, len(said))


@pytest.mark.parametrize(
    "said",
    [
        "I used to think Dana is shy.",
        "I used to think Dana is shy. We met in May.",
        "I used to live in Rome, but now I live in Oslo.",
        "I used to think Dana is shy, but now I think you asked for something else.",
        "I used to think it was good but dear, but now she lives in Rome.",
        "I don't think so. The shop opens at nine.",
    ],
)
def test_what_is_no_change_of_mind_is_none(said: str) -> None:
    assert not any(judgement.text for judgement in find_judgements(parse([said])[0]))


def test_beliefs_around_it_are_opinions_of_their_own() -> None:
    said = "I think tea is fine. I used to think Dana is shy. But now I think she is bold. I love jazz."
    judgements = list(find_judgements(parse([said])[0]))
    assert [said[one.start : one.end] for one in judgements] == [
        "I think tea is fine.",
        "I used to think Dana is shy. But now I think she is bold.",
        "I love jazz.",
    ]


def test_it_is_told_without_the_question_and_quotes_what_was_said() -> None:
    said = "I used to think Dana is shy. But now I think she is bold."
    [opinion] = [
        fact for fact in told("Ann: And what about Dana?", f"Agent: {said}") if fact.network is Network.OPINION
    ]
    assert opinion.text == "Previously I thought Dana is shy, but now I think she is bold."
    [quote] = opinion.quotes
    assert make_passage(f"Agent: {said}").turns[0].text[quote.start : quote.end] == said
    assert "Dana" in {entity.name for entity in opinion.entities}


def test_a_change_of_mind_of_somebody_else_is_no_opinion_of_the_agent() -> None:
    facts = told("Ann: I used to think Dana is shy, but now I think she is bold.")
    assert {fact.network for fact in facts} == {Network.WORLD}
