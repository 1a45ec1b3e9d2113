"""Verdicts without an LLM: entities, nearness, negation and polarity. Neutral wherever they leave a doubt."""

import re
from collections.abc import Collection, Sequence

from banks.retain.engines.builtin.content_words import STEM
from reflection.opinions.types import Verdict
from reflection.opinions.weighing.assessing import Assessment, Assessments, NewFact, OpinionQuestion
from reflection.opinions.wording.matter import list_matter, list_names, list_words
from reflection.opinions.wording.polarity import FEELS, Judgement, compares, is_unsure, read_judgement

LEAST_COSINE = 0.6  # bge: under it two texts have a name in common and nothing else
SHARE = 0.5  # of the words that say what is judged: a name in common is none of them
IS = r"(?:is|are|was|were|(?:has|have|had) been|remains?|remained|stayed|became|becomes?|isn't|aren't|wasn't|weren't)"
LIGHT = r"(?:not|never|no longer|very|really|so|quite|again|also|always|still|\w+ly)"


class RuleAssessor:
    name = "rules"

    def assess(self, questions: Sequence[OpinionQuestion]) -> Assessments:
        return Assessments(tuple(assess_one(question) for question in questions))


def assess_one(question: OpinionQuestion) -> Assessment:
    judged = [judge(question.text, fact) for fact in question.facts]
    return Assessment(tuple(verdict for verdict, _ in judged), tuple(reason for _, reason in judged))


def judge(opinion: str, fact: NewFact) -> tuple[Verdict, str]:
    """The verdict, and the words that decided it."""
    held, seen = read_judgement(opinion), read_judgement(fact.text)
    if not held.sign or not seen.sign or not is_about_the_same(opinion, fact, held, seen):
        return Verdict.NEUTRAL, ""
    if compares(opinion) or compares(fact.text) or is_unsure(fact.text):
        return Verdict.NEUTRAL, ""
    words = ", ".join(sorted(seen.words))
    if held.sign == seen.sign:
        return Verdict.REINFORCE, f"Judges the same way: {words}."
    if held.words & seen.words:
        return Verdict.CONTRADICT, f"Denies it in its own words: {words}."
    return Verdict.WEAKEN, f"Judges the other way: {words}."


def is_about_the_same(opinion: str, fact: NewFact, held: Judgement, seen: Judgement) -> bool:
    """The one who is named, and what of it is judged: Dana's keys are lost, and she stays a brilliant mechanic.

    Where the fact does not tell what of it, it must say the opinion's own word of the very one who is named.
    """
    names = list_names(opinion)
    if fact.cosine < LEAST_COSINE or not is_of(names, opinion, fact.text):
        return False
    matter = cut(list_matter(opinion, judging=held.words)) - cut(list_words(" ".join(names)))
    if matter and len(matter & cut(list_words(fact.text))) >= SHARE * len(matter):
        return True
    return is_said_of(names, held.words if matter else seen.words, fact.text)


def cut(words: Collection[str]) -> set[str]:
    return {word[:STEM] for word in words}


def is_of(names: Sequence[str], opinion: str, text: str) -> bool:
    """Whether it speaks of one of them, and not of what that one feels. Of what one owns only if the opinion does."""
    if not names:
        return True
    named = join(names)
    owner = re.compile(rf"\b{named}['\u2019]s?(?!\w)", re.IGNORECASE)
    own = text if owner.search(opinion) else owner.sub("", text)
    feels = rf"\b{named} (?:\w+ )?{join(sorted(FEELS))}\b"
    return bool(re.search(rf"\b{named}\b", own, re.IGNORECASE)) and not re.search(feels, text, re.IGNORECASE)


def is_said_of(names: Sequence[str], words: Collection[str], text: str) -> bool:
    """As in "Dana was never reliable"; not as in "Dana is a reliable friend"."""
    said = rf"\b{join(names)} {IS} (?:{LIGHT} )*{join(sorted(words))}\b"
    return bool(names and words and re.search(said, text.replace("\u2019", "'"), re.IGNORECASE))


def join(words: Collection[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, words))})"
