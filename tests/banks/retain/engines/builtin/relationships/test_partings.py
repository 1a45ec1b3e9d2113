import pytest

from tests.banks.retain.engines.builtin.found import Triple, find_held, find_over


def both_ways(one: str, relation: str, other: str) -> set[Triple]:
    return {(one, relation, other), (other, relation, one)}


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("Tom and I got divorced.", both_ways("Ann", "married_to", "Tom")),
        ("Tom and I are getting divorced.", both_ways("Ann", "married_to", "Tom")),
        ("My husband Tom and I are getting divorced.", both_ways("Ann", "married_to", "Tom")),
        ("I divorced my husband Tom.", both_ways("Ann", "married_to", "Tom")),
        ("I'm not married to Tom anymore.", both_ways("Ann", "married_to", "Tom")),
        ("Tom and I aren't married anymore.", both_ways("Ann", "married_to", "Tom")),
        ("Tom is no longer my husband.", both_ways("Ann", "married_to", "Tom")),
        ("My ex-husband Tom called me.", both_ways("Ann", "married_to", "Tom")),
        ("Alice divorced Bob.", both_ways("Alice", "married_to", "Bob")),
        ("Alice and Bob got divorced.", both_ways("Alice", "married_to", "Bob")),
        ("My girlfriend Sue and I broke up.", both_ways("Ann", "dating", "Sue")),
        ("I broke up with my boyfriend Sam.", both_ways("Ann", "dating", "Sam")),
        ("I divorced my husband.", {("Ann", "married_to", "")}),
        ("My husband and I split up.", {("Ann", "married_to", "")}),
        ("We aren't engaged anymore.", {("Ann", "engaged_to", "")}),
    ],
)
def test_a_couple_that_parted_is_none_from_either_side(text: str, over: set[Triple]) -> None:
    assert set(find_over(text)) == over
    assert find_held(text) == []


@pytest.mark.parametrize("text", ["Tom and I split up.", "Tom and I are no longer together."])
def test_who_parts_from_somebody_named_ends_whatever_they_were(text: str) -> None:
    kinds = (both_ways("Ann", relation, "Tom") for relation in ("married_to", "engaged_to", "dating"))
    assert set(find_over(text)) == set().union(*kinds)


@pytest.mark.parametrize("text", ["We split up.", "We broke up.", "We are no longer together."])
def test_we_who_part_need_be_no_spouses(text: str) -> None:
    assert set(find_over(text)) == {("Ann", "dating", ""), ("Ann", "engaged_to", "")}


@pytest.mark.parametrize(
    "text",
    [
        "Tom and I split up the bill.",
        "My brother and I split up.",
        "Tom, Bob and I split up.",
        "I'm not married.",
        "My former boss Tom called.",
        "My first husband Tom called.",
        "My future wife Ana called.",
    ],
)
def test_what_parts_no_couple_says_nothing_of_one(text: str) -> None:
    assert find_over(text) == find_held(text) == []
