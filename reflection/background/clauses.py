"""A background taken apart into statements that stand or fall by themselves, and put together again."""

import re

from banks.english.word_set import word_set
from banks.retain.chunking.sentences import ends_sentence, split_sentences

VERBS = (
    "am|was|were|have|had|live|lived|reside|work|worked|speak|like|love|hate|dislike|prefer|enjoy|moved|grew|studied|study|own|run|"
    "lead|teach|play|can|will|do|joined|come|go|graduated|hold|manage|write|build|help|care|value|believe|know"
)
# A new clause begins with a subject of its own, or with the verb of the one before's.
JOINED = re.compile(
    rf"(?:[,;]? and |[,;] )(?=(?P<own>i\b|i'|my\b)|(?:now |currently |also |no longer |never |don't |do not )?"
    rf"(?P<verb>{VERBS})\b)",
    re.IGNORECASE,
)
# "I want to live in Rome and work as a teacher" is one wish.
GOVERNED = re.compile(
    r"\b(?:to|can|could|will|would|may|might|must|should|help|helps|let|lets) \w[^,;]*$", re.IGNORECASE
)
FINITE = word_set("am was were had lived worked moved grew studied joined graduated")
SUBJECT = re.compile(r"^(?:i\b|i'|my\b)", re.IGNORECASE)


def split_clauses(background: str) -> list[list[str]]:
    """Sentences, each as its clauses. A clause without a subject of its own gets the one before's: "I"."""
    sentences = [span.read(background).strip() for span in split_sentences(background)]
    return [split_sentence(sentence) for sentence in sentences if sentence]


def split_sentence(sentence: str) -> list[str]:
    if not SUBJECT.match(sentence):
        return [sentence]
    first, *others = cut(sentence.rstrip(" ."))
    return [first, *(clause if SUBJECT.match(clause) else f"I {clause}" for clause in others)]


def cut(sentence: str) -> list[str]:
    clauses, start = list[str](), 0
    for joint in JOINED.finditer(sentence):
        before = sentence[start : joint.start()]
        if joint["own"] or joint["verb"].lower() in FINITE or not GOVERNED.search(before):
            clauses.append(before)
            start = joint.end()
    return [*clauses, sentence[start:]]


def join_clauses(clauses: list[str]) -> str:
    """One sentence again: "I was born in Texas and have a dog.". After "My name is Ada" the "I" is wanted."""
    shares_subject = clauses[0].startswith(("I ", "I'"))
    parts = [clauses[0], *(clause.removeprefix("I ") if shares_subject else clause for clause in clauses[1:])]
    *middle, last = parts
    sentence = f"{', '.join(middle)} and {last}" if middle else last
    sentence = f"{sentence[:1].upper()}{sentence[1:]}"
    return sentence if ends_sentence(sentence) else f"{sentence}."
