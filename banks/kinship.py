"""What people are to each other, as they call it and as it is stored."""

from banks.dates.word_lists import listed

RELATIVES = frozenset(
    listed(
        "wife husband partner spouse girlfriend boyfriend fiance fiancee mother father mom mum dad sister brother son"
        " daughter child grandmother grandfather grandma grandpa granny aunt uncle cousin niece nephew friend roommate"
        " boss manager supervisor colleague coworker neighbor neighbour landlord landlady teacher tutor mentor coach"
        " trainer therapist doctor dentist dog cat puppy kitten pet horse bird rabbit hamster"
    )
)
COUPLE = ("married_to", "engaged_to", "dating")  # the same from either side
# What a partner is called says which it is: who has a husband is married.
PARTNERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("wife", "husband", "spouse"), ("married_to",)),
    **dict.fromkeys(("fiance", "fiancee", "fianc\u00e9", "fianc\u00e9e"), ("engaged_to",)),
    **dict.fromkeys(("girlfriend", "boyfriend"), ("dating",)),
    "partner": COUPLE,
}
