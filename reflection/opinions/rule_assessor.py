"""Verdicts without an LLM: entities, nearness, negation and polarity. Neutral wherever they leave a doubt."""

from collections.abc import Sequence

from banks.retain.engines.builtin.content_words import content_words
from reflection.opinions.assessing import Assessment, Assessments, NewFact, OpinionQuestion
from reflection.opinions.polarity import Judgement, compares, is_unsure, read_judgement
from reflection.opinions.sense import FRAME_STEMS
from reflection.opinions.types import Verdict

LEAST_COSINE = 0.6  # bge: under it two texts have a name in common and nothing else
SHARED_WORDS = 1  # that neither judge nor frame: what is judged must be the same thing


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
    judging = content_words(" ".join(sorted(held.words | seen.words))) | FRAME_STEMS
    shared = (content_words(opinion) & content_words(fact.text)) - judging
    return fact.cosine >= LEAST_COSINE and len(shared) >= SHARED_WORDS
