"""What somebody has given up: of "I quit teaching" nobody works as a teacher any more, and the news itself is told."""

import re
from collections.abc import Sequence

from reflection.background.attributes import find_attributes

GAVE_UP = re.compile(
    r"^i (?:(?:have|just|recently|finally|now) )*(?:quit|stopped|gave up|given up|left|resigned from)"
    r" (?P<job>(?:my |the )?(?:job|work|position|role|career) as |being |working as )?(?P<thing>[^,;]+?)"
    r"(?: (?:now|in \d{4}|last \w+|\w+ ago))*$",
    re.IGNORECASE,
)
IS = re.compile(r"^i (?:now |currently )?(?:work as|am) (?:an? |the )?(?P<role>.+)$", re.IGNORECASE)
WORD = re.compile(r"[^\W_]+")
NO_THING = {"a", "an", "the", "my", "any", "all"}
JOINTS = {"and", "or"}
OF_PLACES = {"employer", "home"}  # what is left is a firm or a town
LEAST_STEM = 3
DOUBLED = re.compile(r"([bdgmnprt])\1$")  # "running", "run"


def find_given_up(clause: str) -> tuple[str, ...]:
    """The words for it; empty where the clause, which is in the first person, tells of nothing given up."""
    found = GAVE_UP.match(clause.strip(" .!,"))
    if found is None:
        return ()
    return tuple(word for word in WORD.findall(found["thing"].casefold()) if word not in NO_THING)


def is_given_up(clause: str, given_up: Sequence[str]) -> bool:
    """Whether it claims to do that, to be one who does, or to be where somebody left."""
    doing, *rest = given_up
    said = WORD.findall(clause.casefold())
    if JOINTS & set(said):
        return False  # of which only a part would go
    if find_attributes(clause) & OF_PLACES:
        return set(given_up) <= set(said)
    role = IS.match(clause.strip(" .!,"))
    claimed = WORD.findall(role["role"].casefold()) if role else said[1:]
    return bool(claimed) and set(rest) <= set(said) and is_same_doing(claimed[0], doing, is_role=role is not None)


def is_same_doing(claimed: str, doing: str, *, is_role: bool) -> bool:
    """As "teacher", "teach" and "teaching" are; a role may also be named as it is."""
    if is_role and claimed == doing:
        return True
    stem = DOUBLED.sub(r"\1", doing.removesuffix("ing"))
    endings = ("er", "r", "or", "ist") if is_role else ("", "e", "s", "es")
    same = {f"{start}{ending}" for start in (stem, f"{stem}{stem[-1:]}") for ending in endings}
    return doing.endswith("ing") and len(stem) >= LEAST_STEM and claimed in same
