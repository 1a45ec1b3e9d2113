"""Which opinions say the same of the same, or the opposite of it, and which are of other matters."""

from dataclasses import replace

import pytest

from reflection.opinions.held import HeldOpinion
from reflection.opinions.wording.sense import agree, oppose
from tenants.identifiers import uuid7


def hold(text: str) -> HeldOpinion:
    return HeldOpinion(uuid7(), text, 0.7, "", cosine=0.95)


def compare(one: str, other: str) -> str:
    return compare_whole(f"I think that {one}.", f"I think that {other}.")


def compare_whole(one: str, other: str) -> str:
    if oppose(hold(one), other, frozenset()):
        return "opposite"
    return "same" if agree(hold(one), other, frozenset()) else "other"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "the food at Mario's restaurant in Rome is excellent",
            "the service at Mario's restaurant in Rome is terrible",
        ),
        (
            "the food at Mario's restaurant in Rome is excellent",
            "the service at Mario's restaurant in Rome is excellent",
        ),
        ("the morning ferry from Oslo to Kiel is reliable", "the evening ferry from Oslo to Kiel is unreliable"),
        ("the morning ferry from Oslo to Kiel is reliable", "the evening ferry from Oslo to Kiel is reliable"),
        ("the ferry from Oslo to Kiel is reliable", "the ferry from Kiel to Oslo is unreliable"),
        ("the ferry to Faro is reliable", "the ferry from Faro is reliable"),
        ("remote work is good for experienced engineers", "remote work is bad for junior engineers"),
        ("Dana is good at repairing old diesel engines", "Dana is bad at repairing new diesel engines"),
        ("Anna loves Ben", "Ben hates Anna"),
        ("Anna loves Ben", "Ben loves Anna"),
        ("the cat loves the dog", "the dog hates the cat"),
        ("the cat loves the dog", "the dog loves the cat"),
        ("she is a reliable mechanic", "he is an unreliable mechanic"),
        ("Dana is a reliable mechanic", "Dana is a less reliable mechanic"),
        ("Dana is a reliable mechanic", "Dana is rarely a reliable mechanic"),
        ("the Faro ferry is reliable", "the Faro ferry is reliable in winter"),
        ("Dana ist zuverl\u00e4ssig", "Dana ist nicht zuverl\u00e4ssig"),
    ],
)
def test_other_matters_are_neither_the_same_nor_opposite(one: str, other: str) -> None:
    assert (compare(one, other), compare(other, one)) == ("other", "other")


@pytest.mark.parametrize(
    ("one", "other", "are"),
    [
        ("Dana is a reliable mechanic", "Dana is an unreliable mechanic", "opposite"),
        ("Dana is a reliable mechanic", "Dana is no longer a reliable mechanic", "opposite"),
        ("Dana is a reliable mechanic", "Dana isn't a very reliable mechanic", "opposite"),
        ("the trams of Faro are reliable", "the trams of Faro are not reliable at all", "opposite"),
        ("the trams of Faro are reliable", "the trams of Faro fail", "opposite"),
        ("Dana is a reliable mechanic", "Dana is a truly reliable mechanic", "same"),
        ("the ferry is reliable in winter", "in winter the ferry is reliable", "same"),
        ("a tram is reliable", "trams are very reliable", "same"),
        ("remote work is good because it saves time", "remote work is good since it saves time", "same"),
    ],
)
def test_the_same_matter_is_judged_the_same_way_or_the_other(one: str, other: str, are: str) -> None:
    assert (compare(one, other), compare(other, one)) == (are, are)


@pytest.mark.parametrize(
    ("one", "other", "are"),
    [
        ("I think Mona is unreliable.", "I think Mona is not reliable.", "same"),
        ("I think Mona is dishonest.", "I don't think Mona is honest.", "same"),
        ("I think Mona is unreliable.", "I doubt that Mona is reliable.", "same"),
        ("I doubt Mona is reliable.", "I don't think Mona is reliable.", "same"),
        ("I am convinced Mona is reliable.", "I think Mona is reliable.", "same"),
        ("I\u2019m quite sure that Mona is reliable.", "I think Mona isn't reliable.", "opposite"),
        ("I think Max is a kind man.", "I don't think Max is a kind man any more.", "opposite"),
        ("I think Max is a kind man.", "I no longer think Max is a kind man.", "opposite"),
        ("I think Max is a kind man.", "I doubt Max is a kind man.", "opposite"),
        ("I think Mona is reliable.", "I think Mona is not unreliable.", "other"),
        ("I think Rome is a disadvantage.", "I think Rome is not an advantage.", "other"),
    ],
)
def test_a_judgement_is_the_same_in_another_frame_and_with_its_denial_in_a_word(one: str, other: str, are: str) -> None:
    assert (compare_whole(one, other), compare_whole(other, one)) == (are, are)


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("I think Caz is not a great mechanic.", "opposite"),
        ("I think Caz Lee is a great mechanic.", "same"),
        ("I think Lee is not a great mechanic.", "other"),
    ],
)
def test_one_who_has_several_names_is_the_same_by_each(other: str, expected: str) -> None:
    held = replace(hold("I think Caroline is a great mechanic."), names=(("Caroline", "Caz", "Caz Lee"),))
    kinds = {"opposite": oppose(held, other, frozenset()), "same": agree(held, other, frozenset())}
    assert [kind for kind, is_so in kinds.items() if is_so] == [one for one in [expected] if one != "other"]
