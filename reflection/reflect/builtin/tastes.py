"""What somebody likes, in the order of its nearness to what a question asks for."""

import re
from collections.abc import Sequence
from dataclasses import replace

from reflection.reflect.builtin.asker import Asker, find_asker, tell_of_third
from reflection.reflect.builtin.liking import OF_THE_ASKER, asks_for_aversion, is_aversion, is_liking, tells_need
from reflection.reflect.builtin.meant import REQUEST
from reflection.reflect.builtin.pieces import Piece
from reflection.reflect.builtin.scoring import Nearness
from reflection.reflect.types import Labelled
from retrieval.query.names import is_capitalised, list_phrases

MOST_LIKES = 5
# "a film" in "Recommend me a film for tonight".
WANTED = re.compile(
    r"\b(?:recommend|suggest|propose|pick|choose|find)(?: (?:me|us|him|her|them|[A-Z]\w+))?"
    r" (?P<article>an?|some|any)(?: (?:good|nice|new|great|other))? (?P<matter>[\w-]+(?: [\w-]+)??)"
    r"(?= (?:for|to|that|which|i|she|he|they|in|on|at|this|next|tonight|today|tomorrow)\b|\W*$)",
    re.IGNORECASE,
)
# What nobody may be offered who lives by another rule.
EATING = re.compile(
    r"\b(?:eat\w*|food|meals?|dish(?:es)?|dinner|lunch|breakfast|brunch|supper|snacks?|restaurants?|cafes?|recipes?"
    r"|cook\w*|bak(?:e|ing)|cakes?|desserts?|sweets?|drinks?|groceries|menu|picnic|party)\b",
    re.IGNORECASE,
)
# "music" in "What music would Ann like?".
NAMED = re.compile(
    r"^\W*(?:what|which)(?: (?:kind|sort|type)s? of)?"
    r" (?P<matter>(?!would|do|does|should|could|might|can|is|are)[\w-]+(?: [\w-]+)?)"
    r" (?P<verb>would|do|does|should|could|might|can)\b",
    re.IGNORECASE,
)
FAVOURITE = re.compile(
    r"\bfavou?rite [^\W\d]|^\W*(?:what|which) (?!is|are)[\w-]+ (?:is|are) .*\bfavou?rite\b", re.IGNORECASE
)
# What is given is not what is liked, and what is asked for is not told by one word.
GIVEN = re.compile(r"\b(?:gifts?|presents?|things?|stuff)\b", re.IGNORECASE)
WORD = re.compile(r"\w+")


def ask_what_is_liked(question: str, memories: Sequence[Labelled]) -> Asker:
    """Who is asked about, with the question that a liking answers: a reranker finds "She loved Heat" near to "What
    films does she like?" and far from "Recommend me a film for tonight". Who is named is put with a pronoun too.
    """
    return replace(find_asked(question, memories), is_of_taste=True)


def find_asked(question: str, memories: Sequence[Labelled]) -> Asker:
    names = [phrase for phrase in list_phrases(REQUEST.sub("", question)) if is_capitalised(phrase)]
    wanted = find_wanted(question)
    if len(names) > 1 or (not names and not OF_THE_ASKER.search(question)):
        return find_asker(question, memories)
    if not names:
        return find_asker(f"What {wanted} do I like?" if wanted else question, memories)
    of_third = f"What {wanted} does she like?" if wanted else tell_of_third(question, names[0])
    return Asker(of_third, names[0])


def find_wanted(question: str) -> str:
    """The matter of which something is wished for, where the question is not already what somebody likes of it."""
    if wanted := WANTED.search(question):
        return name_matter(wanted)
    named = NAMED.match(question)
    is_wish = named and named["verb"].lower() not in {"do", "does"} and not GIVEN.search(named["matter"])
    return named["matter"] if named and is_wish else ""


def name_matter(wanted: re.Match[str]) -> str:
    """Of "a film" all of them are meant."""
    matter = wanted["matter"]
    if wanted["article"].lower() in {"some", "any"} or matter.endswith("s"):
        return matter
    return f"{matter[:-1]}ies" if matter.endswith("y") else f"{matter}s"


def choose_likes(question: str, liked: Sequence[Piece], near: Nearness) -> list[Piece]:
    """The nearest first, what is liked before what is not. Of a matter that the question names nothing else is told
    beside what is near to it; all that is liked where nothing is. What somebody lives by stays where there is
    something to eat. Where it is asked what somebody can't stand, only that is told.
    """
    if asks_for_aversion(question):
        ranked = sorted(leave_out_parts(liked), key=lambda piece: -near.get(piece))
        return [piece for piece in ranked if near.is_near(piece) or not names_matter(question)][:MOST_LIKES] or ranked
    ranked = sorted(leave_out_parts(liked), key=lambda piece: (is_aversion(piece), -near.get(piece)))
    if near.best < near.scale.least or not names_matter(question):
        kept = [piece for piece in ranked if not is_aversion(piece) or tells_need(piece) or near.is_near(piece)]
        return kept[:MOST_LIKES]
    found = [piece for piece in ranked if near.is_near(piece)]
    needs = [piece for piece in ranked if piece not in found and tells_need(piece) and EATING.search(question)]
    return [*found[: MOST_LIKES - len(needs[:1])], *needs][:MOST_LIKES]


def leave_out_opposite(question: str, pieces: Sequence[Piece]) -> list[Piece]:
    """What is liked answers the question what is not with its opposite."""
    return [piece for piece in pieces if not asks_for_aversion(question) or not is_liking(piece.shown)]


def names_matter(question: str) -> bool:
    return any(pattern.search(question) for pattern in (WANTED, NAMED, FAVOURITE))


def leave_out_parts(pieces: Sequence[Piece]) -> list[Piece]:
    """Without those whose words another one has, and more."""
    words = [frozenset(WORD.findall(piece.shown.casefold())) for piece in pieces]
    return [piece for piece, own in zip(pieces, words, strict=True) if not any(own < other for other in words)]
