"""Words that are also names: "Grace" in "Grace under pressure" and "May" in "in May" name nobody."""

import re

from banks.english.word_set import word_set

MONTHS = word_set("march april may june august")
# Those that open many a sentence as the word that they are.
COMMON = MONTHS | word_set(
    "angel art autumn bill chance charity chase christian constance dawn drew earnest faith frank gene glory grace",
    "grant guy harmony heather hope hunter iris ivy jack jasmine joy lance lily mark melody mercy miles olive pat",
    "patience penny pierce prudence ray reed rich rob rose ruby rusty skip sky sterling sue summer sunny temperance",
    "trinity victor wade will winter woody",
)
LEADS_TO_A_MONTH = re.compile(
    r"\b(?:in|since|until|till|by|of|from|last|next|this|early|late|mid|every|each|before|after|during|through|to"
    r"|\d+(?:st|nd|rd|th)?)[\s-]+$",
    re.IGNORECASE,
)
OF_A_MONTH = re.compile(r"[\s,]+\d")
OPENS = re.compile(r"(?:^|[.!?:]\s+|\n)[\"'\u201c(]*$")
DOES = re.compile(
    r"'s\b|,?\s+(?!is what\b)(?:is|was|has|had|does|did|will|would|can|could|should|and|or|[a-z]+s|[a-z]+ed)\b"
)


def is_mere_word(text: str, start: int, end: int) -> bool:
    """A month beside a time, or a word that opens a sentence and is followed by no verb that somebody does."""
    word = text[start:end].casefold()
    if word in MONTHS and (LEADS_TO_A_MONTH.search(text[:start]) or OF_A_MONTH.match(text[end:])):
        return True
    return word in COMMON and bool(OPENS.search(text[:start])) and not DOES.match(text[end:])
