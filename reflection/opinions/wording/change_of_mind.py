"""What was thought and what is thought now, of "Previously I thought that X, but now I think that Y"."""

import re
from dataclasses import dataclass

PREVIOUSLY = re.compile(
    r"^(?:(?:previously|before|earlier|formerly|in the past|at first|initially),? I (?:had )?"
    r"(?:thought|believed|felt|held|considered|found|assumed)"
    r"|I (?:used to|once) (?:think|believe|feel|thought|believed)"
    r"|I (?:previously|formerly|initially) (?:thought|believed|felt|held|assumed)"
    r"|I (?:had )?(?:thought|believed|assumed)(?! (?:about|of)\b)"
    r"(?=.*(?:[;.]|\bbut) (?:however,? )?(?:I now|now,? I)\b))"
    r"(?: that)?[,:]? (?=\S)",
    re.IGNORECASE,
)
MARKER = (
    r"(?:now(?! and (?:then|again))|today|since then|by now|these days|nowadays|lately|meanwhile|at present|currently)"
)
THINK = r"(?P<verb>think|believe|feel|see|hold|consider|find|reckon|suspect)"
ADVERBS = r"(?P<adverbs>(?:(?:now|really|rather|also|do|don't|do not|no longer|firmly|strongly) )*)"
BUT = r"[,;.]? but "
# Without a "but" only what is said to be thought takes the place: "... . Now Bob lives in Rome" tells something else.
ANEW = r"[;.] (?:however,? )?"
THINKS = r"(?:[\w']+ ){0,2}(?:think|believe|feel|see|hold|consider|find|reckon|suspect)\b"
MARKED = re.compile(
    rf"{BUT}(?:{MARKER},? (?!I now )|(?=I now ))|{ANEW}(?:{MARKER},? (?=I {THINKS})|(?=I now {THINKS}))", re.IGNORECASE
)
THOUGHT = re.compile(rf"{BUT}(?=I {ADVERBS}{THINK} )", re.IGNORECASE)
THINKING = re.compile(rf"^(?:I )?{ADVERBS}{THINK}(?P<that> that)?[,:]? (?P<rest>\S.*)$", re.IGNORECASE | re.DOTALL)
SURE = re.compile(r"^(?P<lead>I(?:'m| am|'ve| have)? (?:[\w']+ ){1,4}that )(?P<rest>\S.*)$", re.IGNORECASE | re.DOTALL)
OWN = re.compile(r"^I(?:'(?:m|d|ll|ve))? ", re.IGNORECASE)
LEAST_WORDS = 2  # of either half
OF_A_THING = frozenset({"find", "consider", "see"})  # "I find it dull": no clause follows
# "... but I think she isn't": the judgement is left to the hearer
ELLIPSIS = re.compile(
    r"^\S+ (?:is|are|was|were|am|does|do|did|has|have|had|can|could|will|would)(?:n't| not)?"
    r"(?: (?:now|any ?more))?\W*$",
    re.IGNORECASE,
)
GIVEN_UP = re.compile(
    r"\bI(?:'m| am) (?:not|no longer) (?:\w+ ){0,2}(?:sure|certain|convinced)(?: (?:now|any ?more|of (?:it|that)))*\W*$"
    r"|\bI (?:(?:now|no longer|don't|do not) )+(?:(?:do|doubt|think|believe|feel)(?: (?:so|it|that))?)?"
    r"(?: (?:now|any ?more))?\W*$"
    r"|\bI doubt (?:it|that)(?: (?:now|any ?more))?\W*$"
    r"|\bI(?:'ve| have) changed my mind\W*$|\bI(?: was|'ve been| have been) wrong\W*$|\bI know better\W*$"
    r"|\bthat(?:'s| is| was) (?:wrong|false|untrue|a mistake|not (?:so|true|right))(?: now)?\W*$"
    r"|\b(?:not any ?more|no longer)\W*$",
    re.IGNORECASE,
)

VERB = r"(?:is|are|was|were|has|have|had|does|do|did|can|could|will|would|should|may|might|must)"
WITHOUT_SUBJECT = re.compile(rf"^{VERB}(?:n't)?\b", re.IGNORECASE)
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


@dataclass(frozen=True)
class Thought:
    """A judgement with the words before it: "I don't think that ", "she is late"."""

    lead: str
    judged: str
    is_of_thing: bool = False

    @property
    def is_whole(self) -> bool:
        """Not so of "I love her" and of "I think that is odd": whom and what they mean stands in the other half."""
        is_told = len(self.judged.split()) >= LEAST_WORDS and not ELLIPSIS.match(self.judged)
        return is_told and not OWN.match(self.judged) and not WITHOUT_SUBJECT.match(self.judged)


def find_change_of_mind(text: str) -> ChangeOfMind | None:
    """None where the sentence does not say plainly what is thought now."""
    halves = split_halves(text)
    if halves is None or len(halves[0].split()) < LEAST_WORDS:
        return None
    old, thought = halves[0], read_thought(halves[1])
    if not thought.is_whole:
        return None
    named = put_subject(thought.judged, find_subject(old), is_object=thought.is_of_thing)
    return ChangeOfMind(put_subject(old, find_subject(thought.judged)), f"{thought.lead}{named}")


def gives_up(text: str) -> bool:
    """A former belief that is held no more, with nothing in its place: "... but I am not sure anymore"."""
    own = text.replace("\u2019", "'").strip()
    if not PREVIOUSLY.match(own) or find_change_of_mind(own):
        return False
    halves = split_halves(own)
    return bool(GIVEN_UP.search(own) or (halves and ELLIPSIS.match(read_thought(halves[1]).judged)))


def split_halves(text: str) -> tuple[str, str] | None:
    """At "but now" or, where there is none, at the last "but I think": another "but" belongs to either half.

    Who tells of several changes thought the first at first, and thinks the last by now.
    """
    own = text.replace("\u2019", "'").strip()
    begun = PREVIOUSLY.match(own)
    if begun is None:
        return None
    said = own[begun.end() :]
    marked = list(MARKED.finditer(said))
    turns = marked or list(THOUGHT.finditer(said))[-1:]
    return (said[: turns[0].start()].strip(" ,;."), said[turns[-1].end() :]) if turns else None


def read_thought(said: str) -> Thought:
    if found := THINKING.match(said):
        verb = found["verb"].lower()
        is_of_thing = verb in OF_A_THING and not found["that"]
        adverbs = re.sub(r"\bnow ", "", found["adverbs"], flags=re.IGNORECASE)
        return Thought(f"I {adverbs}{verb} {'' if is_of_thing else 'that '}", found["rest"], is_of_thing)
    if found := SURE.match(said):
        return Thought(found["lead"], found["rest"])
    return Thought("I think that ", said)


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
