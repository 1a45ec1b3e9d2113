"""An opinion is told by the one who holds it: in the first person, or as a plain judgement."""

import re
from dataclasses import dataclass

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
)
PREVIOUSLY = re.compile(
    r"^(?:(?:previously|before|earlier|formerly|in the past|at first|initially),? I (?:had )?"
    r"(?:thought|believed|felt|held|considered|found|assumed)"
    r"|I (?:used to|once) (?:think|believe|feel|thought|believed)"
    r"|I (?:previously|formerly|initially) (?:thought|believed|felt|held|assumed))(?: that)?[,:]? (?P<old>.+?)"
    r"[,;.]? but (?:now|today|since then|by now|these days)?,? ?(?:I )?(?:now )?"
    r"(?:(?P<verb>think|believe|feel|see|hold|consider|find)(?: that)?[,:]? )?(?P<new>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
LEAST_WORDS = 2  # of either half


@dataclass(frozen=True)
class ChangeOfMind:
    """What was thought, and what is thought now."""

    old: str
    new: str


def turn_to_first_person(text: str) -> str | None:
    """None where it is somebody else's belief: that is a fact about them, and none of the agent's opinions."""
    own = text.replace("\u2019", "'")
    if found := ABOUT_THE_AGENT.match(own):
        return f"I {plural(found['verb'].strip())} {found['rest']}"
    if found := VIEW_OF_THE_AGENT.match(own):
        return f"I think that {found['rest']}"
    return None if OF_ANOTHER.match(own) else text


def plural(verb: str) -> str:
    """The form that goes with I: the last word without its s."""
    return verb.removesuffix("s")


def find_change_of_mind(text: str) -> ChangeOfMind | None:
    """Of "Previously I thought that X, but now I think that Y": X, and "I think that Y"."""
    found = PREVIOUSLY.match(text.replace("\u2019", "'").strip())
    if not found or min(len(found["old"].split()), len(found["new"].split())) < LEAST_WORDS:
        return None
    return ChangeOfMind(found["old"].strip(" ,;."), f"I {(found['verb'] or 'think').lower()} that {found['new']}")
