"""What was thought and what is thought now, of "Previously I thought that X, but now I think that Y"."""

import re
from dataclasses import dataclass

PREVIOUSLY = re.compile(
    r"^(?:(?:previously|before|earlier|formerly|in the past|at first|initially),? I (?:had )?"
    r"(?:thought|believed|felt|held|considered|found|assumed)"
    r"|I (?:used to|once) (?:think|believe|feel|thought|believed)"
    r"|I (?:previously|formerly|initially) (?:thought|believed|felt|held|assumed))(?: that)?[,:]? (?P<old>.+?)"
    r"[,;.]? but (?:now|today|since then|by now|these days)?,? ?(?:I )?(?:now )?"
    r"(?:(?P<verb>think|believe|feel|see|hold|consider|find)(?P<that> that)?[,:]? )?(?P<new>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
LEAST_WORDS = 2  # of either half
OF_A_THING = frozenset({"find", "consider", "see"})  # "I find it dull": no clause follows

VERB = r"(?:is|are|was|were|has|have|had|does|do|did|can|could|will|would|should|may|might|must)"
SUBJECT = re.compile(
    rf"^(?P<subject>(?!(?:s?he|they|it|this|that|there)\b)\S+(?: \S+){{0,7}}?) (?P<verb>{VERB}(?:n't)?)\b",
    re.IGNORECASE,
)
NAME = re.compile(
    r"^(?P<subject>[A-Z][\w.-]*(?: (?:[A-Z][\w.-]*|of|de|van|von|the))*)(?<! the)(?<! of) (?P<verb>[a-z]+)\b"
)
PRONOUN = re.compile(
    r"^(?P<pronoun>s?he|they|it|this|that)(?:'(?P<short>s|re|d|ll|ve)\b| (?P<verb>\w+))", re.IGNORECASE
)
OBJECT = re.compile(r"^(?P<pronoun>it|him|her|them)\b(?= \w)", re.IGNORECASE)
OWNER = re.compile(r"^(?P<pronoun>his|her|its|their) (?=\w)", re.IGNORECASE)
FULL = {"s": "is", "re": "are", "d": "would", "ll": "will", "ve": "have"}
OF_ONE = {"are": "is", "were": "was", "have": "has", "do": "does"}
UNCHANGED = frozenset({"had", "did", "can", "could", "will", "would", "should", "may", "might", "must"})


@dataclass(frozen=True)
class ChangeOfMind:
    """`new` is in the first person. Each half says whom it is about where either of them does."""

    old: str
    new: str


@dataclass(frozen=True)
class Subject:
    words: str
    is_one: bool


def find_change_of_mind(text: str) -> ChangeOfMind | None:
    found = PREVIOUSLY.match(text.replace("\u2019", "'").strip())
    if not found or min(len(found["old"].split()), len(found["new"].split())) < LEAST_WORDS:
        return None
    old, new = found["old"].strip(" ,;."), found["new"]
    verb = (found["verb"] or "think").lower()
    is_of_thing = verb in OF_A_THING and not found["that"]
    named = put_subject(new, find_subject(old), is_object=is_of_thing)
    return ChangeOfMind(put_subject(old, find_subject(new)), f"I {verb} {'' if is_of_thing else 'that '}{named}")


def find_subject(clause: str) -> Subject | None:
    """Whom a clause is about, by the words before its verb. None where these are a pronoun."""
    found = SUBJECT.match(clause) or NAME.match(clause)
    if found is None:
        return None
    verb = found["verb"].lower().removesuffix("n't")
    is_one = verb in OF_ONE.values() or (verb not in OF_ONE and " and " not in found["subject"] and verb.endswith("s"))
    return Subject(found["subject"], is_one)


def put_subject(clause: str, subject: Subject | None, *, is_object: bool = False) -> str:
    """The subject in place of the pronoun that the clause begins with."""
    if subject is None:
        return clause
    if is_object and (found := OBJECT.match(clause)):
        return f"{subject.words}{clause[found.end() :]}"
    if found := PRONOUN.match(clause):
        return replace_pronoun(clause, found, subject)
    if found := OWNER.match(clause):
        return f"{subject.words}'s {clause[found.end() :]}"
    return clause


def replace_pronoun(clause: str, found: re.Match[str], subject: Subject) -> str:
    """With the verb that goes with it; where that can't be told, the subject stands behind the pronoun."""
    rest, verb = clause[found.end() :], found["verb"] or FULL[found["short"].lower()]
    if found["pronoun"].lower() in {"this", "that"} and verb.lower() not in {*OF_ONE, *OF_ONE.values(), *UNCHANGED}:
        return clause  # "that ferry is slow" has a subject
    if found["pronoun"].lower() == "they" and subject.is_one and verb.lower() not in UNCHANGED:
        if verb.lower() not in OF_ONE:
            return f"{found['pronoun']} ({subject.words}) {verb}{rest}"
        verb = OF_ONE[verb.lower()]
    return f"{subject.words} {verb}{rest}"
