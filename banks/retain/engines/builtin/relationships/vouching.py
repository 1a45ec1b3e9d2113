"""Whether the speaker stands for what a clause tells: words of others, jokes and exercises are none of his own."""

import re

from banks.english.parsed import Parsed
from banks.english.word_set import word_set
from banks.retain.engines.builtin.relationships.clauses import Clauses

SELF = frozenset({"i", "we"})
BELOW = frozenset({"ccomp", "parataxis"})
# Whoever it is that does so: what follows is not so.
INVENTING = word_set(
    "joke joked jokes joking dream dreamed dreamt dreams dreaming pretend pretended pretends imagine imagined lied lie",
)
SPEAKING = word_set("said says say wrote writes told tells texted asked asks replied answered tweeted posted goes")
BELIEVING = word_set(
    "believe believes believed think thinks thought claim claims claimed insist insists insisted assume assumes",
    "assumed hope hopes hoped fear fears feared suspect suspects suspected guess guesses guessed expect expects",
    "expected predict predicts predicted swear swears swore reckon reckons reckoned heard hear hears write tell",
    "wonder wonders suggests",
)
UNTRUE = word_set("false wrong untrue lie lies rumour rumor joke myth nonsense mistake")
# What is done with a text of any content: "Translate into German: I live in Rome".
TEXT_WORK = word_set(
    "translate correct proofread rewrite rephrase paraphrase summarise summarize spell repeat parse analyse analyze",
    "pronounce edit polish shorten",
)
POLITE = word_set("please can could would you now pls kindly")
LEAD = re.compile(r"(?:^|[.!?\n])\s*([^.!?\n:]+):[^:.!?\n]*$")
WORD = re.compile(r"[^\W\d_]+")
OPENING, CLOSING, EITHER = "\u201c\u00ab\u201e", "\u201d\u00bb", '"'


def is_vouched_for(clauses: Clauses, place: int, *, is_own: bool) -> bool:
    """`is_own`: it tells of the speaker himself. What others tell of third ones is hearsay, and counts."""
    if is_own and (is_quoted(clauses.parsed, place) or is_anothers_text(clauses.parsed, place)):
        return False
    return all(_lets_stand(clauses, at, is_own=is_own) for at in _list_governors(clauses, place))


def is_quoted(parsed: Parsed, place: int) -> bool:
    """Between quotation marks of one paragraph."""
    start, end = parsed.words[place].start, parsed.words[place].end
    before = parsed.text[:start].rpartition("\n")[2]
    after = parsed.text[end:].partition("\n")[0]
    opened = max(map(before.rfind, OPENING))
    is_between = opened > max(map(before.rfind, CLOSING)) and any(mark in after for mark in CLOSING)
    return is_between or (before.count(EITHER) % 2 == 1 and EITHER in after)


def is_anothers_text(parsed: Parsed, place: int) -> bool:
    """After a colon before which somebody else speaks, or a text is given to be worked on."""
    lead = LEAD.search(parsed.text[: parsed.words[place].start])
    words = [word.lower() for word in WORD.findall(lead[1])] if lead else []
    asked = [word for word in words if word not in POLITE]
    return (bool(asked) and asked[0] in TEXT_WORK) or _is_speaking(words)


def _is_speaking(words: list[str]) -> bool:
    return bool(words) and words[0] not in SELF and any(word in SPEAKING for word in words)


def _list_governors(clauses: Clauses, place: int) -> list[int]:
    """The words that the clause hangs on as what is said, thought or true."""
    words, found = clauses.parsed.words, []
    top = [*clauses.carriers(place)][-1]
    while words[top].dep in BELOW and words[top].head != top:
        top = words[top].head
        found.append(top)
        top = [*clauses.carriers(top)][-1]
    return found


def _lets_stand(clauses: Clauses, governor: int, *, is_own: bool) -> bool:
    words, below = clauses.parsed.words, clauses.parsed.children.get(governor, ())
    if words[governor].lower in INVENTING or any(words[at].dep == "neg" for at in below):
        return False
    if any(words[at].dep in {"acomp", "attr"} and words[at].lower in UNTRUE for at in below):
        return False
    subject = clauses.subject_place(governor)
    is_anothers = subject is not None and words[subject].lower not in {*SELF, "it", "you"}
    return not (is_own and is_anothers and words[governor].lower in SPEAKING | BELIEVING)
