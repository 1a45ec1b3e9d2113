import pytest

from tests.banks.retain.engines.builtin.found import Triple, find_held


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("My husband is Tom.", ("Ann", "married_to", "Tom")),
        ("Tom is my husband.", ("Ann", "married_to", "Tom")),
        ("My husband's name is Tom.", ("Ann", "married_to", "Tom")),
        ("My husband, Tom, called.", ("Ann", "married_to", "Tom")),
        ("Alice's husband is Bob.", ("Alice", "married_to", "Bob")),
        ("My girlfriend Sue called.", ("Ann", "dating", "Sue")),
        ("My partner Sue called.", ("Ann", "partner", "Sue")),
        ("My sister is Mary.", ("Ann", "sister", "Mary")),
        ("My flatmate Jonas called.", ("Ann", "flatmate", "Jonas")),
        ("Jonas is my flatmate.", ("Ann", "flatmate", "Jonas")),
        ("My kid sister Mary called.", ("Ann", "sister", "Mary")),
        ("My kid is called Tim.", ("Ann", "kid", "Tim")),
        ("My cat is called Miso.", ("Ann", "cat", "Miso")),
        ("Bob's dog is named Rex.", ("Bob", "dog", "Rex")),
        ("We have a dog named Rex.", ("Ann", "dog", "Rex")),
    ],
)
def test_who_is_whose_is_found(text: str, held: Triple) -> None:
    assert find_held(text) == [held]


@pytest.mark.parametrize(
    "text",
    [
        "My husband isn't Tom.",
        "My husband was Tom.",
        "My wife is Portuguese.",
        "My wife is a fan of jazz.",
        "My cousin's wife Sue called.",
        "My husband's last name is Moore.",
        "My dog isn't called Rex.",
        "I want to have a dog called Rex.",
        "My boss is called every day.",
    ],
)
def test_what_names_nobody_that_is_so_now_is_no_relationship(text: str) -> None:
    assert find_held(text) == []
