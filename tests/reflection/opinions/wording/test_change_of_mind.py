"""A change of mind says whom it is about in both its halves."""

import pytest

from reflection.opinions.wording.change_of_mind import ChangeOfMind, find_change_of_mind, gives_up


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (
            "Previously I thought Caroline is shy, but now I think she is outgoing.",
            "Caroline is shy",
            "I think that Caroline is outgoing.",
        ),
        (
            "Previously I thought that the Faro ferry is reliable, but now I think that it is too often late.",
            "the Faro ferry is reliable",
            "I think that the Faro ferry is too often late.",
        ),
        (
            "I used to think Caroline likes tea, but now I believe she\u2019s fond of coffee.",
            "Caroline likes tea",
            "I believe that Caroline is fond of coffee.",
        ),
        (
            "Previously I thought Caroline isn't reliable, but now I feel that she'd never fail.",
            "Caroline isn't reliable",
            "I feel that Caroline would never fail.",
        ),
        ("I once thought Sam was shy but now I think they are loud.", "Sam was shy", "I think that Sam is loud."),
        ("I once thought Sam was shy but now they seem loud.", "Sam was shy", "I think that they (Sam) seem loud."),
        (
            "Before, I thought the books are dull, but now I find them exciting.",
            "the books are dull",
            "I find the books exciting.",
        ),
        (
            "At first I thought Ana Reis plays badly, but now I think her playing is superb.",
            "Ana Reis plays badly",
            "I think that Ana Reis's playing is superb.",
        ),
        (
            "Previously I thought she was shy, but now I think Caroline is bold.",
            "Caroline was shy",
            "I think that Caroline is bold.",
        ),
        (
            "Before, I thought that trams are slow, but now I believe that trams are quick.",
            "trams are slow",
            "I believe that trams are quick.",
        ),
        (
            "Earlier I thought he was shy, but now I think he is bold.",
            "he was shy",
            "I think that he is bold.",
        ),
        (
            "Previously I thought the trams are slow, but now I think that this ferry is slower.",
            "the trams are slow",
            "I think that this ferry is slower.",
        ),
        (
            "I used to think Bob was dependable; now I believe he is careless.",
            "Bob was dependable",
            "I believe that Bob is careless.",
        ),
        (
            "I used to think Bob was dependable. Now I think he is careless.",
            "Bob was dependable",
            "I think that Bob is careless.",
        ),
        (
            "I thought Bob was dependable. However, I now think he is careless.",
            "Bob was dependable",
            "I think that Bob is careless.",
        ),
        (
            "Previously I thought Bob was dependable; however, I now believe he is careless.",
            "Bob was dependable",
            "I believe that Bob is careless.",
        ),
    ],
)
def test_the_name_takes_the_place_of_the_pronoun(text: str, old: str, new: str) -> None:
    assert find_change_of_mind(text) == ChangeOfMind(old, new)


@pytest.mark.parametrize(
    "text",
    [
        "I think that she is outgoing.",
        "Previously she was shy, but now she is bold.",
        "I used to think Bob was dependable. Now he lives in Rome.",
        "I thought about Bob; now I think he is careless.",
        "I thought Bob was dependable; I think he is careful.",
        "I thought Bob was late. However, I think he is careful.",
    ],
)
def test_what_tells_of_no_former_belief_is_none(text: str) -> None:
    assert find_change_of_mind(text) is None


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (
            "Previously I thought Dana is shy but brave, but now I think she is bold.",
            "Dana is shy but brave",
            "I think that Dana is bold.",
        ),
        (
            "I used to think Dana is slow but now and then brilliant, but I believe that she is steady.",
            "Dana is slow but now and then brilliant",
            "I believe that Dana is steady.",
        ),
        (
            "Previously I thought Dana is shy, but now I think she is bold, but I believe she tires soon.",
            "Dana is shy",
            "I think that Dana is bold, but I believe she tires soon.",
        ),
        (
            "Previously I thought Dana is shy, but now I think she is bold, but today I think she is calm.",
            "Dana is shy",
            "I think that Dana is calm.",
        ),
        (
            "Previously I thought Dana is reliable, but now I don't think she is reliable.",
            "Dana is reliable",
            "I don't think that Dana is reliable.",
        ),
        (
            "Previously I thought Dana is shy, but by now I am sure that she is bold.",
            "Dana is shy",
            "I am sure that Dana is bold.",
        ),
    ],
)
def test_it_turns_where_the_present_begins(text: str, old: str, new: str) -> None:
    assert find_change_of_mind(text) == ChangeOfMind(old, new)


@pytest.mark.parametrize(
    "text",
    [
        "Previously I thought Dana is shy, but she is bold.",
        "Previously I thought Dana is cheap but good, but the parts were dear.",
        "Previously I thought Dana is rude, but now I love her.",
        "Previously I thought Dana is rude, but I think that is odd of her.",
    ],
)
def test_what_can_not_be_told_apart_stays_whole(text: str) -> None:
    assert (find_change_of_mind(text), gives_up(text)) == (None, False)


@pytest.mark.parametrize(
    "end",
    [
        "but I am not sure anymore.",
        "but now I'm not so sure.",
        "but I no longer do.",
        "but now I don\u2019t.",
        "but I no longer think so.",
        "but I don't think she is any more.",
        "but now I think she isn't.",
        "but now I doubt it.",
        "but I have changed my mind",
        "but I was wrong.",
        "but not any more.",
    ],
)
def test_a_belief_that_is_given_up_is_no_new_one(end: str) -> None:
    text = f"Previously I thought Dana is reliable, {end}"
    assert (find_change_of_mind(text), gives_up(text)) == (None, True)
