"""What people are to each other, as they call it and as it is stored."""

from banks.dates.word_lists import listed

PEOPLE = frozenset(
    listed(
        "wife husband partner spouse girlfriend boyfriend fiance fiancee fianc\u00e9 fianc\u00e9e parent mother father"
        " mom mum dad sister brother grandmother grandfather grandma grandpa granny aunt uncle cousin niece nephew"
        " mother-in-law father-in-law sister-in-law brother-in-law son-in-law daughter-in-law"
        " friend roommate flatmate boss manager colleague coworker neighbor neighbour landlord landlady teacher"
    )
)
PROFESSIONALS = frozenset(listed("supervisor tutor mentor coach trainer therapist doctor dentist"))
CHILDREN = frozenset(listed("son daughter child kid baby"))
ANIMALS = frozenset(listed("dog cat puppy kitten pet horse bird rabbit hamster"))
RELATIVES = PEOPLE | PROFESSIONALS | CHILDREN | ANIMALS
COUPLE = ("married_to", "engaged_to", "dating")  # the same from either side
# What a partner is called says which it is: who has a husband is married.
PARTNERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("wife", "husband", "spouse"), ("married_to",)),
    **dict.fromkeys(("fiance", "fiancee", "fianc\u00e9", "fianc\u00e9e"), ("engaged_to",)),
    **dict.fromkeys(("girlfriend", "boyfriend"), ("dating",)),
    "partner": COUPLE,
}
# Other words for the same one.
SAME = tuple(
    frozenset(listed(words))
    for words in (
        "father dad",
        "mother mom mum",
        "grandmother grandma granny",
        "grandfather grandpa",
        "fiance fiancee fianc\u00e9 fianc\u00e9e",
        "roommate flatmate",
        "neighbor neighbour",
        "colleague coworker",
        "boss manager",
        "child kid",
    )
)


def list_same(kin: str) -> list[str]:
    """Itself first."""
    others = (words - {kin} for words in SAME if kin in words)
    return [kin, *sorted(word for words in others for word in words)]
