"""What a turn's words say about its place, apart from its topic."""

import re

from banks.retain.types import Turn

# A cue stands where a sentence begins; amid one it belongs to what is told.
AT_START = r"(?:^|[.!?\u2026,;:]\s+|\b(?:oh|ok|okay|so|and|but|well)\s+)\W*"
SHIFT = re.compile(
    rf"{AT_START}(?:by the way|btw|(?:on|in) (?:another|a different|a side|an unrelated) (?:note|topic|subject)"
    r"|(?:to )?(?:chang(?:e|ing)|switch(?:ing)?) (?:the )?(?:subject|topics?|gears)|before i forget|moving on|apropos"
    r"|(?:completely |totally )?unrelated(?:ly)?|(?:a |an(?:other)? )?(?:different|separate|unrelated|new) "
    r"(?:question|topic|subject|matter)|anyways?)\b",
    re.IGNORECASE,
)
RETURN = re.compile(
    r"\b(?:(?:going|coming|getting|circling|to go|to come|to get|back) back to|back to (?:the|my|our|your|what)"
    r"|return(?:ing)? to|as (?:i|you|we) (?:said|mentioned|discussed) (?:earlier|before)|earlier (?:i|you|we) "
    r"(?:said|asked|mentioned|talked)|regarding (?:the|your|my)|as for (?:the|your|my))\b",
    re.IGNORECASE,
)
GREETING = re.compile(
    r"^\W*(?:hey|hi|hello|hiya|yo|howdy|greetings|good (?:morning|afternoon|evening|day)|long time|what'?s up)\b",
    re.IGNORECASE,
)
REPLY = re.compile(
    r"^\W*(?:yes|yeah|yep|yup|no|nope|nah|sure|of course|exactly|right|true|totally|absolutely|definitely|agreed|thanks"
    r"|thank you|thx|you'?re welcome|wow|ok(?:ay)?|great|nice|cool|awesome|congrat\w*|that'?s|that (?:is|sounds|was)"
    r"|sounds|oh|good (?:to know|idea|point|question)|glad|sorry to hear|same here|me too"
    r"|i (?:agree|see|know|understand)|aww?|haha|lol|bye)\b",
    re.IGNORECASE,
)
LEAVE = re.compile(
    r"\b(?:good ?bye|bye|see (?:you|ya)|talk (?:to you )?(?:soon|later)|take care|catch you later|good ?night|ttyl"
    r"|have a (?:great|good|nice|lovely) (?:one|day|evening|weekend|night|trip|time)"
    r"|(?:gotta|got to|have to) (?:go|run))\b",
    re.IGNORECASE,
)
QUESTION = re.compile(r"[?\uff1f\u061f]")
# Scripts without blanks between words count by the character.
WORD = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]|\w+")
# Words of a reply that name no topic. What is left of a turn when they are taken away is its own.
EMPTY_WORDS = frozenset(
    WORD.findall(
        """
        a absolutely again ah all alright am amazing and are as awesome be bye can certainly congrats cool correct
        could course definitely did do does done exactly fine for forward go going gonna good got great ha haha
        happy have hey hi hmm how i if im in is it its just k know let like lol looking love lovely luck makes me
        mean my nah nice no nope not of oh ok okay on perfect please pleasure pretty problem really right same see
        sense should so soon sounds sure take talk thank thanks that thats the then there these they think this to
        too totally true u understand understood very was way we welcome well were what when why will with wonderful
        would wow yay yeah yep yes you your youre yup
        """
    )
)
LENGTH_OF_OPENING = 80  # characters
LONG = 120
FEWEST_WORDS = 3  # with a topic of their own


def says_little(turn: Turn) -> bool:
    """A reply such as "yes, sure" has no topic: it stays with what it answers and moves no topic."""
    if len(turn.text) > LONG:
        return False
    words = WORD.findall(turn.text.lower().replace("'", "").replace("\u2019", ""))
    return len({word for word in words if word not in EMPTY_WORDS}) < FEWEST_WORDS


def answers(turn: Turn) -> bool:
    """An agent or tool speaks because it was asked to, so it opens no topic."""
    return turn.role in {"assistant", "tool"}


def rate_brevity(turn: Turn) -> float:
    """1 for nothing, 0 for a long sentence and more: what is short has a blurred vector, which fits nothing well."""
    return max(0.0, 1.0 - len(turn.text) / LONG)


def turns_away(turn: Turn) -> bool:
    return SHIFT.search(first_words(turn)) is not None


def turns_back(turn: Turn) -> bool:
    return RETURN.search(first_words(turn)) is not None


def greets(turn: Turn) -> bool:
    return GREETING.match(turn.text) is not None


def replies(turn: Turn) -> bool:
    """Begins in words that only an answer begins with, and does not turn away at once ("Oh, by the way")."""
    return REPLY.match(turn.text) is not None and not turns_away(turn)


def takes_leave(turn: Turn) -> bool:
    return LEAVE.search(turn.text[-LENGTH_OF_OPENING:]) is not None


def asks(turn: Turn) -> bool:
    """At its end, though a remark may follow the question."""
    return QUESTION.search(turn.text[-LENGTH_OF_OPENING:]) is not None


def first_words(turn: Turn) -> str:
    return turn.text[:LENGTH_OF_OPENING]
