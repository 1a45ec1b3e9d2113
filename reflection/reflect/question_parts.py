"""The parts of a question that asks for several things at once, each to be looked up by itself."""

import re

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
    r"\s*(?:[,;:?!]|\b(?:and|or|who|whose|which|that|when|before|after|since|until|than|with)\b)\s*", re.IGNORECASE
)
WORD = re.compile(r"\w+")
LEAST_WORDS = 2  # that carry meaning: a single one finds too much


def list_parts(question: str) -> list[str]:
    """The question without its asking words, and its clauses. Empty for a question that asks for one thing."""
    if find_type(question, has_window=False) not in IN_PARTS:
        return []
    subject = " ".join(ASKING.sub(" ", question).split())
    clauses = [clause.strip() for clause in JOINT.split(subject)]
    parts = dict.fromkeys(
        part for part in [subject.strip(" ?!."), *clauses] if count_content_words(part) >= LEAST_WORDS
    )
    parts.pop(question.strip(" ?!."), None)
    return list(parts)[:MOST_PARTS]


def count_content_words(text: str) -> int:
    return sum(fold_word(word) not in ALL_STOP_WORDS for word in WORD.findall(text))
