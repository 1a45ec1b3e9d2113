"""Which citations stay: the memory must have the names, numbers and dates of the sentence."""

import pytest

from reflection.reflect.citations import CitedText
from tests.reflection.reflect.remembered import day, gather, make_item

SAID = gather(
    make_item(1, text="Emily moved to Lisbon on June 7, 2024.", entities=("Emily", "Lisbon")),
    make_item(2, text="Ben has 2 dogs.", entities=("Ben",)),
    make_item(3, text="Emily pays 900 euros of rent.", entities=("Emily",)),
    make_item(4, text="Emily went to a concert in Porto.", entities=("Emily", "Porto"), occurred_start=day(3)),
    make_item(5, text="Emily went to a concert of Madredeus.", entities=("Emily", "Madredeus"), occurred_start=day(9)),
    make_item(6, text="Emily has 3 cats.", entities=("Emily",)),
    make_item(7, text="She plays the violin in the orchestra.", context="About Clara"),
)


@pytest.mark.parametrize(
    "written",
    [
        "She lives in Lisbon now [1].",
        "Emily moved to Lisbon on June 7, 2024 [1].",
        "Emily moved on 2024-06-07 [1].",
        "He has 2 dogs [2].",
        "That was in 2024 [1].",
        "Emily went to a concert on May 3 [4].",  # the date of the memory's field
        "Clara plays the violin [7].",  # the name of its context
        "Emily went to 3 concerts [4][5].",  # a count: the other memory with a 3 is farther from the sentence
        "Emily has lived in Lisbon for 5 months [1].",  # a duration
        "Emily moved to Lisbon in 2024 and pays 900 euros [1][3].",  # each has a part of the sentence
        "Emily pays 900 euros [3], yet he has 2 dogs [2].",  # each mark stands for its part of the sentence
        "She moved away [2].",  # a single word decides nothing
        "Sie wohnt in Lissabon [1].",  # a name that no memory has in this form
        "Sie zog am 7. Juni 2024 nach Lissabon [1].",
        "Ben likes them. It is in Lisbon [1].",  # the sentence before does not count
    ],
)
def test_a_citation_with_the_names_and_values_of_its_sentence_stays(written: str) -> None:
    cited = read(written)
    assert (cited.text, cited.unsupported) == (written, 0)


@pytest.mark.parametrize(
    ("written", "shown", "unsupported"),
    [
        ("She lives in Lisbon now [2].", "She lives in Lisbon now.", 1),
        ("She lives in Lisbon now [1][2].", "She lives in Lisbon now [1].", 1),
        ("Emily pays 900 euros [2].", "Emily pays 900 euros.", 1),  # the first word is an entity
        ("Emily pays 900 euros [3][1].", "Emily pays 900 euros [3].", 1),  # the name alone is not enough
        ("Emily moved on June 7, 2024 [3].", "Emily moved on June 7, 2024.", 1),
        ("In May 2023 Ben paid 900 euros of rent [2].", "In May 2023 Ben paid 900 euros of rent.", 1),
        ("Emily pays 900 euros [3], yet he has 7 dogs [2].", "Emily pays 900 euros [3], yet he has 7 dogs.", 1),
        ("He has 7 dogs [2].", "He has 7 dogs.", 1),
        ("She plays the violin in an orchestra [2].", "She plays the violin in an orchestra.", 1),
    ],
)
def test_a_citation_without_them_is_dropped_and_counted(written: str, shown: str, unsupported: int) -> None:
    cited = read(written)
    assert (cited.text, cited.unsupported) == (shown, unsupported)


def read(written: str) -> CitedText:
    cited = CitedText(SAID)
    list(cited.feed(written))
    list(cited.end())
    return cited
