"""What somebody is no more: "I no longer work as a teacher" takes a statement away and makes none."""

import re
from dataclasses import dataclass

from banks.english.word_set import word_set
from reflection.background.attributes import find_attributes
from reflection.background.giving_up import find_given_up, is_given_up

NO_MORE = re.compile(r"\bno longer\b|\bany ?more$|\bany longer$", re.IGNORECASE)
DENYING = re.compile(r"(?<=\w)n't\b|\b(?:not|never|no longer|any ?more|any longer)\b", re.IGNORECASE)
HELPING = re.compile(r"^I (?:do|did) (?=\w)", re.IGNORECASE)
SHORT = (("can't", "can"), ("won't", "will"), ("I'm ", "I am "))
INSTEAD = re.compile(r",? but (?:now |instead |rather )?", re.IGNORECASE)
OWN = re.compile(r"^(?:i|my)\b", re.IGNORECASE)
WORD = re.compile(r"[^\W_]+")
LEAST_WORDS = 3  # a subject, a verb and a thing
HAVING = re.compile(r"^i (?:live with|own|keep) ", re.IGNORECASE)
UNCOUNTED = word_set("a an any the")
WAS_ONCE = {"lived": "live", "worked": "work", "had": "have", "liked": "like"}  # "never lived" denies "live" too
BY_NOW = word_set("now currently nowadays")  # what is denied is denied of now
LIKINGS = word_set("love enjoy adore")  # who does not like a thing has none of these for it
FRAME = word_set("i my am was is are do live lived reside based work worked have moved in as at for to of a an the now")


@dataclass(frozen=True)
class Denial:
    """`claim` is what is denied, as it would be claimed. `is_past`: it was so once, which says nothing new.

    `given_up` are the words for what somebody ended himself, which is told as well.
    """

    claim: str
    is_past: bool
    given_up: tuple[str, ...] = ()


def split_denied(clause: str) -> list[str]:
    """Of "I no longer work as a teacher but as a nurse": what is denied, and the clause that takes its place."""
    denied, *rest = INSTEAD.split(clause, maxsplit=1)
    denial = find_denial(denied)
    if not rest or denial is None:
        return [clause]
    if OWN.match(rest[0]):
        return [denied, rest[0]]
    verb, found, _ = denial.claim.partition(f" {rest[0].partition(' ')[0]} ")
    return [denied, f"{verb} {rest[0]}"] if found else [clause]


def find_denial(clause: str) -> Denial | None:
    """Of a clause in the first person."""
    own = clause.replace("\u2019", "'").strip(" .!,")
    for short, full in SHORT:
        own = own.replace(short, full if short.startswith("I") else f"{full} not")
    if given_up := find_given_up(own):
        return Denial(own, is_past=False, given_up=given_up)
    claim = " ".join(DENYING.sub(" ", own).split())
    if not OWN.match(own) or claim == " ".join(own.split()):
        return None
    return Denial(HELPING.sub("I ", claim), is_past=bool(NO_MORE.search(own)))


def is_denied(clause: str, denial: Denial) -> bool:
    """Whether it claims just that, or the same attribute of the same thing: of two homes only the one that is left."""
    if denial.given_up:
        return is_given_up(clause, denial.given_up)
    claimed, denied = read_words(clause), read_words(denial.claim)
    liked = ["like" if word in LIKINGS else word for word in claimed]
    if denied in (claimed, liked) or is_kind_of(claimed, denied):
        return True
    thing = set(denied) - FRAME
    shares = find_attributes(" ".join(denied)) & find_attributes(clause)
    return bool(thing and shares) and thing <= set(claimed)


def is_kind_of(claimed: list[str], denied: list[str]) -> bool:
    """Who has no dogs has no three dogs: the same verb, and the same thing with more said of it."""
    if min(len(claimed), len(denied)) < LEAST_WORDS or claimed[:2] != denied[:2]:
        return False
    things, denied_things = [fold_number(word) for word in claimed[2:]], [fold_number(word) for word in denied[2:]]
    return things[-1] == denied_things[-1] and set(denied_things) - UNCOUNTED <= set(things)


def fold_number(word: str) -> str:
    return word.removesuffix("s")


def read_words(text: str) -> list[str]:
    """Who lives with two cats, or keeps them, has them."""
    has = HAVING.sub("I have ", text.replace("I'm ", "I am "))
    words = (word.casefold() for word in WORD.findall(has))
    return [WAS_ONCE.get(word, word) for word in words if word not in BY_NOW]
