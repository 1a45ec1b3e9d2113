"""Verdicts without an LLM: entities, nearness, negation and polarity. Neutral wherever they leave a doubt."""

import re
from collections.abc import Sequence
from dataclasses import replace

from reflection.opinions.types import Verdict
from reflection.opinions.weighing.assessing import Assessment, Assessments, NewFact, OpinionQuestion
from reflection.opinions.wording.matter import list_matter, list_names, list_words
from reflection.opinions.wording.polarity import FEELS, Judgement, compares, is_unsure, read_judgement, unfold
from reflection.opinions.wording.said_of import Topic, cut, find_subject_names, is_said_of
from reflection.opinions.wording.sense import call_by_first

LEAST_COSINE = 0.6  # bge: under it two texts have a name in common and nothing else
SHARE = 0.5  # of the words that say what is judged: a name in common is none of them


class RuleAssessor:
    name = "rules"

    def assess(self, questions: Sequence[OpinionQuestion]) -> Assessments:
        return Assessments(tuple(assess_one(question) for question in questions))


def assess_one(question: OpinionQuestion) -> Assessment:
    judged = [judge(*call_one_way(question, fact)) for fact in question.facts]
    return Assessment(tuple(verdict for verdict, _ in judged), tuple(reason for _, reason in judged))


def call_one_way(question: OpinionQuestion, fact: NewFact) -> tuple[str, NewFact]:
    """With the same name in both for whom they call otherwise."""
    opinion, told = question.text, fact.text
    for names in question.names:
        opinion, told = call_by_first(names, opinion), call_by_first(names, told)
    return opinion, replace(fact, text=told)


def judge(opinion: str, fact: NewFact) -> tuple[Verdict, str]:
    """The verdict, and the words that decided it."""
    held, seen = read_judgement(opinion), read_judgement(fact.text)
    if not held.sign or not seen.sign or not is_about_the_same(opinion, fact, held):
        return Verdict.NEUTRAL, ""
    if compares(opinion) or compares(fact.text) or is_unsure(fact.text):
        return Verdict.NEUTRAL, ""
    words = ", ".join(sorted(seen.words))
    if held.sign == seen.sign:
        return Verdict.REINFORCE, f"Judges the same way: {words}."
    if unfold(held).words & unfold(seen).words:
        return Verdict.CONTRADICT, f"Denies it in its own words: {words}."
    return Verdict.WEAKEN, f"Judges the other way: {words}."


def is_about_the_same(opinion: str, fact: NewFact, held: Judgement) -> bool:
    """The one who is named, and what of it is judged: Dana's keys are lost, and she stays a brilliant mechanic.

    Where the fact does not tell what of it, it must say the opinion's own word of the very one who is named.
    """
    names = list_names(opinion)
    if fact.cosine < LEAST_COSINE or feels_something(names, fact.text):
        return False
    matter = cut(list_matter(opinion, judging=held.words)) - cut(list_words(" ".join(names)))
    topic = Topic(find_subject_names(opinion, names), frozenset(matter), opinion)
    return is_said_of(topic, fact.text, held=held.words, share=SHARE)


def feels_something(names: Sequence[str], text: str) -> bool:
    """What one of them feels judges another."""
    named, feels = (f"(?:{'|'.join(map(re.escape, words))})" for words in (names, sorted(FEELS)))
    return bool(names and re.search(rf"\b{named} (?:\w+ )?{feels}\b", text, re.IGNORECASE))
