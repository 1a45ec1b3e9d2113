"""Opinions in the words of the agent that holds them."""

import re

from banks.english.word_set import word_set
from retrieval.query.language import find_language

HOLDS = (
    r"(?:(?:firmly|strongly|really|still|also|generally|personally) )?"
    r"(?:thinks?|believes?|feels?|considers?|finds?|prefers?|doubts?|reckons?|suspects?|expects?|favou?rs?|holds?"
    r"|likes?|dislikes?|loves?|hates?|trusts?|recommends?)"
)
ABOUT_THE_AGENT = re.compile(
    rf"^(?:the |this |our )?(?:speaker|agent|assistant|ai|bot|model)(?P<verb> {HOLDS}) (?P<rest>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
VIEW_OF_THE_AGENT = re.compile(
    r"^(?:the |this |our )?(?:speaker|agent|assistant|ai|bot|model)'s (?:\w+ )?(?:opinion|view|belief|position) "
    r"is that (?P<rest>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
OF_ANOTHER = re.compile(
    rf"^(?i:the speaker\b|(?:the )?(?:user|customer|client|human|person|caller) {HOLDS}\b"
    r"|you (?:think|believe|feel)\b|(?:he|she|they) (?:thinks?|believes?|reckons?|feels?|doubts?)\b)"
    r"|^[A-Z][\w'-]+(?: [A-Z][\w'-]+)? (?:thinks|believes|reckons|feels that|doubts)\b"
    r"|^(?i:my|our|your|his|her|its|their) (?!(?:gut|heart|mind|instinct|intuition|head|own)\b)"
    r"(?:(?!(?:is|are|was|were|and|I)\b)[\w'-]+ ){1,3}(?:thinks?|believes?|reckons?|feels? that|doubts?)\b"
)
# Anywhere, as in "it is, I think, late"; whatever else begins with I does so at the beginning of a clause.
FIRST_PERSON = re.compile(
    r"(?:^|[.!?:;,] )I(?:'(?:m|d|ll|ve))? (?=\w)|^(?:my|for me)\b"
    r"|\b(?:I|we) (?:(?:\w+ly|do|don't|do not|still|also|used to|had) ){0,2}"
    r"(?:think|thought|believe|believed|feel|felt|reckon|suppose|guess|suspect|doubt)\b"
    r"|\b(?:in|to) my (?:\w+ )?(?:opinion|view|experience|eyes|mind|judge?ment|book)\b"
    r"|\bmy (?:\w+ )?(?:opinion|view|belief|guess|impression) is\b"
    r"|\b(?:if you ask me|it seems to me|as I see it|the way I see it|imo|imho)\b",
    re.IGNORECASE,
)
LEAD = re.compile(
    r"^(?:overall|however|honestly|frankly|personally|generally|in general|on the whole|all in all|in short|still|also"
    r"|clearly|admittedly|moreover|nevertheless|today|nowadays|so far|at times|sometimes), (?=\S)",
    re.IGNORECASE,
)
# Words that are no names where a sentence begins with them. Any other keeps its capital.
OPENINGS = word_set(
    "the a an this that these those it he she they we you there here his her their our your its who what which how why",
    "some most many much few all both every each any no not none nobody nothing everybody everyone everything another",
    "in on at for with without from by about after before during since until under over between among to of as if when",
    "while although though because unless whether where and or but so yet than maybe perhaps probably possibly never",
)
# These only before another word in small letters: "New York" is a name.
PLAIN = word_set(
    "more less such same other one two three good great bad better best worse worst new old big small large long short",
    "high low early late open free public private remote modern young real true simple hard easy people children men",
    "women life work time money music food being having doing going using making working living learning reading",
)
COMMON = re.compile(
    r"^(?:\w+(?:tion|ness|ment)s?\b|\w+ing (?:from|with|in|on|at|to|for|the|an?|by|about)\b|\w+(?<!an)s are\b)"
)


def turn_to_first_person(text: str) -> str | None:
    """None where it is somebody else's belief: that is a fact about them, and none of the agent's opinions.

    A plain judgement gets its holder: "Caroline is great." becomes "I think Caroline is great.". A question stays one,
    and so does what is told in another language: its words for that are not ours to choose.
    """
    own = text.replace("\u2019", "'").strip()
    if found := ABOUT_THE_AGENT.match(own):
        return f"I {plural(found['verb'].strip())} {found['rest']}"
    if found := VIEW_OF_THE_AGENT.match(own):
        return f"I think that {found['rest']}"
    if OF_ANOTHER.match(own):
        return None
    if FIRST_PERSON.search(own) or own.endswith("?") or not is_prose(own):
        return text
    lead = found[0] if (found := LEAD.match(own)) else ""
    return f"{lead}I think {open_small(text.strip()[len(lead) :])}"


def is_prose(text: str) -> bool:
    return any(character.isalpha() for character in text) and find_language(text) == "en"


def open_small(text: str) -> str:
    """For the middle of a sentence, with a small letter where that is no name's."""
    first, *others = re.split(r"[\s,;:'\u2019]", text, maxsplit=2)
    is_plain = first.casefold() in PLAIN and others[0][:1].islower() if others else False
    is_common = bool(COMMON.match(text)) and first[1:].islower()
    return text[:1].lower() + text[1:] if first.casefold() in OPENINGS or is_plain or is_common else text


def plural(verb: str) -> str:
    """The form that goes with I: the last word without its s."""
    return verb.removesuffix("s")
