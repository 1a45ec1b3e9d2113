import pytest

from banks.english.edits import apply_edits
from banks.english.parser import parse
from banks.english.verb_forms import third_person
from banks.retain.engines.builtin.pronouns import Voices, name_voices


def rewritten(text: str, *, listener: str | None = "Tom") -> str:
    (parsed,) = parse([text])
    return apply_edits(text, name_voices(parsed, Voices("Ann", listener)))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I went to the market.", "Ann went to the market."),
        ("I'm tired of my kids.", "Ann is tired of Ann's kids."),
        ("I've seen it.", "Ann has seen it."),
        ("I'll call the office.", "Ann will call the office."),
        ("I'd love to help those people.", "Ann would love to help those people."),
        ("I go there and watch the birds.", "Ann goes there and watches the birds."),
        ("I can go there and watch the birds.", "Ann can go there and watch the birds."),
        ("I don't like the rain.", "Ann doesn't like the rain."),
        ("She told me the news.", "She told Ann the news."),
        ("My sister and I went home.", "Ann's sister and Ann went home."),
    ],
)
def test_the_speaker_stands_in_place_of_i(said: str, told: str) -> None:
    assert rewritten(said) == told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Have you finished your book?", "Has Tom finished Tom's book?"),
        ("Do you like the rain?", "Does Tom like the rain?"),
        ("You were so brave that day.", "Tom was so brave that day."),
        ("What made you pick it?", "What made Tom pick it?"),
        ("How're you doing there?", "How is Tom doing there?"),
    ],
)
def test_the_listener_stands_in_place_of_you(said: str, told: str) -> None:
    assert rewritten(said) == told


@pytest.mark.parametrize(
    "said",
    [
        'He said "I hate my job" and left.',
        "It was hard to embrace myself.",
        "You never know what happens.",
        "Take your time with it.",
        "If you want a good view, you should come early.",
        "Thank you so much!",
        "They need some me-time.",
    ],
)
def test_what_is_uncertain_stays_as_it_was(said: str) -> None:
    assert rewritten(said) == said


def test_you_stays_where_the_listener_is_not_known() -> None:
    assert rewritten("Have you finished your book?", listener=None) == "Have you finished your book?"


@pytest.mark.parametrize(
    ("verb", "form"),
    [("go", "goes"), ("have", "has"), ("try", "tries"), ("play", "plays"), ("watch", "watches"), ("am", "is")],
)
def test_verbs_take_the_third_person(verb: str, form: str) -> None:
    assert third_person(verb) == form
