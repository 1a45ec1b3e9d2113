"""Turns that say nothing: greetings, thanks, applause. What is in doubt is kept."""

import re

from banks.english.detection import LETTER_OR_DIGIT, WORD
from banks.english.word_set import word_set

CEREMONY = word_set(
    # greetings and farewells
    "hey hi hello hiya yo howdy welcome morning afternoon evening night bye goodbye cya later soon",
    "see ya talk take care catch chat meet hear seeing hearing talking chatting meeting goodnight",
    # thanks and applause
    "thanks thank thx ty cheers congrats congratulations wow whoa woah woohoo yay haha hahaha lol aww awww oh ooh ah",
    "cool awesome great nice good lovely amazing wonderful fantastic sweet neat perfect super glad happy sounds sound",
    "appreciate welcome pleasure luck best wishes",
    # assent that adds nothing
    "yeah yep yup ok okay sure absolutely definitely totally exactly indeed agreed right true alright course of",
    # small questions
    "how what's whats how's hows what up been going doing are is things everything anything new life it's its that's",
    # glue
    "a an the and or but so to for from with you your you're youre u me my i i'm im it that this there we us let's",
    "lets again always very really much too just all both be have do did a lot anytime time day one everyone",
    "can't cant wait will i'll ill keep in touch by on at was were long no worries problem not",
)
LONGEST = 200  # characters; a longer turn has said something
PHOTO_OR_FIGURE = re.compile(r"[\[\]\d]|https?:")


def is_small_talk(text: str, *, names: frozenset[str], answers_question: bool) -> bool:
    """`names` are the lower-case words of the speakers' names. After a question a "yes" is an answer, and is kept."""
    if len(text) > LONGEST:
        return LETTER_OR_DIGIT.search(text) is None
    if answers_question or PHOTO_OR_FIGURE.search(text):
        return False
    words = [word.lower().replace("\u2019", "'") for word in WORD.findall(text)]
    return all(_is_ceremony(word, names) for word in words)


def _is_ceremony(word: str, names: frozenset[str]) -> bool:
    """Nicknames are mostly the beginning of a name."""
    return word in CEREMONY or any(name.startswith(word) and len(word) > 1 for name in names)
