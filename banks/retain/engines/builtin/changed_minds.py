"""A change of mind of the agent, in one sentence or two, told in the one way that reflection knows it by."""

import re
from dataclasses import dataclass

PAST = {
    "think": "thought",
    "believe": "believed",
    "feel": "felt",
    "assume": "assumed",
    "was sure": "believed",
    "was certain": "believed",
    "was convinced": "believed",
}
THOUGHT = "thought|believed|felt|held|considered|found|assumed|was sure|was certain|was convinced"
THINK = "think|believe|feel|assume"
FORMERLY = "previously|formerly|initially|originally|at first|first|once"
OPENING = re.compile(
    r"^(?:(?:well|actually|honestly|okay|ok|so|yes|no),? )*"
    rf"(?:(?:{FORMERLY}|before|earlier|in the past|until recently|for a long time),? I(?:'d| had)? (?:always )?"
    rf"(?P<thought>{THOUGHT})"
    rf"|I (?:{FORMERLY}) (?P<formerly>{THOUGHT})"
    rf"|I used to (?P<used>{THINK})"
    rf"|I (?:no longer|don't|do not) (?P<no_longer>{THINK})(?! so\b))"
    r"(?: that)?[,:]? (?P<old>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
ANY_MORE = re.compile(r",? (?:any ?more|any longer)(?=\W*$)", re.IGNORECASE)
NOW = r"(?:now|today|these days|by now|since then|nowadays|lately|meanwhile)"
BELIEVE = "think|believe|feel|see|hold|consider|find"
BELIEF = re.compile(
    rf"^I(?:'ve| have)?(?: (?:now|rather|really|do|come to|since))* (?P<verb>{BELIEVE})\b"
    r"|^I(?:'m| am)(?: now| quite| pretty)* (?P<sure>sure|certain|convinced)\b(?! if| whether)",
    re.IGNORECASE,
)
JOINT = re.compile(
    rf"[,;]? (?:but|yet|though|and) (?=(?:{NOW}\b|I (?:now )?(?:{BELIEVE})\b"
    rf"|I(?:'m| am) (?:now )?(?:sure|certain|convinced)\b))|; (?={NOW}\b)",
    re.IGNORECASE,
)
TURN = re.compile(rf"^(?P<but>(?:(?:but|yet|and|however|instead|rather),? )*)(?P<now>{NOW},? )?", re.IGNORECASE)
ANOTHER_BUT = re.compile(r"\bbut\b", re.IGNORECASE)


@dataclass(frozen=True)
class ChangedMind:
    """`belief` is what is thought now, as a sentence of its own; `text` tells both."""

    text: str
    belief: str


def find_changed_mind(sentence: str, following: str) -> ChangedMind | None:
    """In the sentence alone: what follows is empty then."""
    opened = OPENING.match(plain(sentence))
    if opened is None:
        return None
    old, new = opened["old"], plain(following)
    within = JOINT.search(old)
    if not following and within:
        old, new = old[: within.start()], old[within.end() :]
    turn = TURN.match(new)
    if not new or turn is None or ANOTHER_BUT.search(old):
        return None
    rest = new[turn.end() :]
    belief = read_belief(rest)
    if belief is None and not following and turn["now"]:
        belief = f"I think {rest}"
    turns = bool(turn[0] or within or opened["no_longer"])
    return build(opened, old, belief) if belief and turns else None


def plain(sentence: str) -> str:
    return " ".join(sentence.replace("\u2019", "'").split())


def read_belief(clause: str) -> str | None:
    """As "I think ...", with its own verb where that is one of belief."""
    found = BELIEF.match(clause)
    if found is None:
        return None
    rest = clause[found.end() :].lstrip(" ,")
    return f"I {found['verb'].lower() if found['verb'] else 'believe'} {rest}" if rest else None


def build(opened: re.Match[str], old: str, belief: str) -> ChangedMind:
    verb = (opened["thought"] or opened["formerly"] or opened["used"] or opened["no_longer"]).lower()
    former = ANY_MORE.sub("", old).rstrip(" .!,;")
    return ChangedMind(f"Previously I {PAST.get(verb, verb)} {former}, but now {belief}", belief)
