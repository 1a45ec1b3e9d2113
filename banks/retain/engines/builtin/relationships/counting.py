"""How many of something somebody has, whichever way the number and the thing are written."""

from banks.english.word_set import word_set

IRREGULAR = {"kid": "children", "kids": "children", "child": "children", "person": "people"}
OF_A_HOME = word_set("children sons daughters dogs cats pets grandchildren puppies kittens horses birds rabbits")
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
AMOUNTS = {word: str(number) for number, word in enumerate(NUMBERS)}


def name_counted(noun: str) -> str:
    """One "cat" is counted among the "cats"."""
    return IRREGULAR.get(noun) or (noun if noun.endswith(("s", "children", "people")) else f"{noun}s")


def is_of_a_home(noun: str) -> bool:
    """What "we have" is then also the speaker's; what a firm has is not."""
    return name_counted(noun) in OF_A_HOME


def write_amount(amount: str) -> str:
    return AMOUNTS.get(amount.lower(), amount)
