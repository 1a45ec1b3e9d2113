"""The parts of a question that asks for several things at once, each to be looked up by itself."""

import re
from collections.abc import Sequence

from banks.dates.fold import fold_word
from retrieval.query.question_type import find_type
from retrieval.query.stop_words import ALL_STOP_WORDS
from retrieval.types import QuestionType

MOST_PARTS = 4
IN_PARTS = {QuestionType.COUNTING, QuestionType.MULTI_HOP, QuestionType.TEMPORAL}

# What only says that something is counted or compared; what is left is the thing itself.
ASKING = re.compile(
    r"\b(?:how (?:many|much|often)(?: times| different)?|(?:what is |what's )?the (?:total )?(?:number|amount|sum) of"
    r"|in total|altogether|list all|name all|which (?:came|happened|did \w+ do) first"
    r"|what do(?:es)? \w+ and \w+ have in common|the (?:difference|relationship|connection) between|between"
    r"|how long (?:ago|before|after)?)\b",
    re.IGNORECASE,
)
JOINT = re.compile(
    r"((?:\s*(?:[,;:?!]|\b(?:and|or|who|whose|which|that|when|before|after|since|until|than|with)\b)\s*)+)",
    re.IGNORECASE,
)
OF_A_LIST = re.compile(r"(?:\s*(?:,|and|or)\s*)+", re.IGNORECASE)
WORD = re.compile(r"\w+")
LAST_WORD = re.compile(r"\w+\W*\Z")
LEAST_WORDS = 2  # that carry meaning: a single one finds too much


def list_parts(question: str) -> list[str]:
    """The question without its asking words, and its clauses. Empty for a question that asks for one thing."""
    if find_type(question, has_window=False) not in IN_PARTS:
        return []
    subject = " ".join(ASKING.sub(" ", question).split())
    parts = dict.fromkeys(
        part for part in [subject.strip(" ?!."), *list_clauses(subject)] if count_content_words(part) >= LEAST_WORDS
    )
    parts.pop(question.strip(" ?!."), None)
    return list(parts)[:MOST_PARTS]


def list_clauses(subject: str) -> list[str]:
    """A single word of a list has what is said of all of it: that stands before the list or behind it."""
    split = [*JOINT.split(subject), ""]
    clauses = list(zip([one.strip() for one in split[::2]], split[1::2], strict=True))
    written, before, joint = [], "", ""
    for number, (clause, following) in enumerate(clauses):
        is_item = count_content_words(clause) == 1
        if not is_item or not OF_A_LIST.fullmatch(joint):
            before = "" if is_item else clause
        if is_item and before:
            written.append(LAST_WORD.sub(clause, before))
        elif is_item and OF_A_LIST.fullmatch(following):
            written.append(f"{clause} {find_rest(clauses[number + 1 :])}")
        else:
            written.append(clause)
        joint = following
    return written


def find_rest(clauses: Sequence[tuple[str, str]]) -> str:
    """What follows the last thing of a list: all from its first word without meaning, or its first name."""
    for clause, following in clauses:
        if count_content_words(clause) != 1:
            words = clause.split()
            places = (place for place, word in enumerate(words) if place and (word[0].isupper() or is_stop(word)))
            return " ".join(words[next(places, 1) :])
        if not OF_A_LIST.fullmatch(following):
            break
    return ""


def count_content_words(text: str) -> int:
    return sum(not is_stop(word) for word in WORD.findall(text))


def is_stop(word: str) -> bool:
    return fold_word(word) in ALL_STOP_WORDS
