import pytest

from banks.english.parser import parse
from banks.retain.engines.builtin.judging import find_judgements, judge_confidence


def test_hedging_lowers_the_confidence() -> None:
    sure = judge_confidence("I'm convinced this is the best plan.")
    plain = judge_confidence("I think this is the best plan.")
    hedged = judge_confidence("I think this might perhaps be the best plan.")
    guess = judge_confidence("I guess this is the best plan.")
    assert sure is not None
    assert plain is not None
    assert hedged is not None
    assert guess is not None
    assert sure > plain > guess > 0
    assert plain > hedged > 0


@pytest.mark.parametrize(
    "text",
    [
        "As an AI language model, I don't have personal opinions.",
        "I think you asked about the wrong file.",
        "I would recommend the blue one.",
        "Do you know what I think about it?",
        "I booked the flight.",
        "I don't think so.",
        "I'm not sure.",
        "Hmm, I am not really sure about that.",
        "I'm not convinced yet.",
        "I think so.",
        "Well, I guess not.",
        "I no longer think so.",
        "I don't think I know him.",
        "I do not believe that I know him.",
        "I don't think we have met.",
        "I don't think about it much.",
        "I don't believe that any more.",
        "I don't think there is such a file.",
        'The line "I think we are lost" opens the poem.',
        "The dinner at the harbour will be a wonderful end to the day, and I'm sure it will rain.",
    ],
)
def test_what_is_no_judgement_of_the_world_is_no_opinion(text: str) -> None:
    assert list(find_judgements(parse([text])[0])) == []


@pytest.mark.parametrize(
    "text",
    [
        "I prefer tea over coffee.",
        "In my opinion, tea is better.",
        "I doubt that it works.",
        "I don't think Max is a kind man.",
        "I don\u2019t think Max is a kind man anymore.",
        "I no longer think Ida is a good cook.",
        "I do not believe that trams are safe.",
        "I don't think that's fair.",
        "I'm not sure that Rita is kind.",
        "I'm not convinced of the plan.",
    ],
)
def test_a_belief_or_a_taste_is_an_opinion(text: str) -> None:
    assert len(list(find_judgements(parse([text])[0]))) == 1
