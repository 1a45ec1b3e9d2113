import pytest

from reflection.opinions.wording.polarity import read_judgement


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("The ferry is reliable.", 1),
        ("The ferry is not reliable.", -1),
        ("The ferry isn\u2019t a very reliable one.", -1),
        ("The ferry never fails.", 1),
        ("I don't think that the ferry is reliable.", -1),
        ("I doubt that the ferry is bad.", 1),
        ("The ferry is reliable, but it is ugly.", 0),
        ("It does not rain, and the ferry is reliable.", 1),
        ("The ferry leaves at noon.", 0),
    ],
)
def test_a_sentence_judges_one_way_or_none(text: str, sign: int) -> None:
    assert read_judgement(text).sign == sign


@pytest.mark.parametrize(
    "text",
    [
        "The ferry became less reliable.",
        "Dana is the least reliable mechanic.",
        "The ferry is rarely late and seldom punctual.",
        "Few people find Dana trustworthy.",
        "The ferry is far from reliable.",
        "The ferry is anything but reliable.",
        "The ferry is not only reliable but also fast.",
        "The ferry is not always reliable.",
        "There is no better ferry.",
        "The ferry has never been more reliable.",
        "I can't recommend the ferry enough.",
        "The ferry is no doubt reliable.",
        "The ferry is not without problems.",
        "The ferry stopped being reliable.",
        "The ferry was reliable until May.",
        "The ferry used to be reliable.",
        "It is false that Dana is honest.",
        "That the ferry is reliable is a myth.",
        "Dana pretends to be honest.",
        "Dana tries to improve.",
        "The ferry could be better.",
        "The offer is too good.",
        "None of the ferries, as far as I know, is reliable.",
        "Nobody in the whole wide office finds Dana reliable.",
        "Dana repaired a faulty engine and solved the problem.",
        "The ferry is a kind of boat, and at worst it takes an hour.",
        "The ferry is safe in no weather.",
        "Nobody is kind to nobody.",
        "Dana left for good after the book fair.",
    ],
)
def test_what_is_lessened_over_or_not_said_to_be_so_judges_no_way(text: str) -> None:
    assert read_judgement(text).sign == 0


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("The ferry is no longer reliable.", -1),
        ("The ferry is not reliable at all.", -1),
        ("The ferry proved to be reliable.", 1),
        ("Dana is good at repairing old engines.", 1),
        ("The ferry had no problems.", 1),
        ("I would recommend the ferry.", 1),
        ("Hugo is kind and generous to nobody.", -1),
        ("Hugo is kind to no one.", -1),
        ("The ferry is good for nothing.", -1),
        ("The food is excellent and second to none.", 1),
        ("The ferry is reliable with no failures.", 1),
        ("The ferry isn't reliable any more.", -1),
        ("I doubt the ferry is reliable.", -1),
    ],
)
def test_what_leaves_no_doubt_still_judges(text: str, sign: int) -> None:
    assert read_judgement(text).sign == sign
