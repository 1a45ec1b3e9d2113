"""Training lists: each question with what answers it, what does not, and the teacher's scores of both."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from training.first_stage import Pool
from training.sources import Conversation, Question, find_last_question

MOST_POSITIVES = 8
CHOSEN_OF_A_SPAN = 3  # QMSum marks whole spans, of which few turns answer


@dataclass(frozen=True)
class TrainingList:
    """Indexes of texts in the conversation. `scores` are the teacher's logits of all of them."""

    conversation: Conversation
    question: Question
    positives: tuple[int, ...]
    negatives: tuple[int, ...]
    scores: dict[int, float]


def build_lists(pools: Sequence[Pool], scores: Sequence[dict[int, float]]) -> list[TrainingList]:
    """Negatives are candidates that are not evidence, not near it, and below its median in the teacher's order."""
    lists = []
    for pool, scored in zip(pools, scores, strict=True):
        asked = pool.conversation.questions[pool.number]
        by_teacher = sorted(asked.evidence, key=lambda index: -scored[index])
        most = CHOSEN_OF_A_SPAN if pool.conversation.source == "qmsum" else MOST_POSITIVES
        positives = tuple(by_teacher[:most])
        bar = median(scored[index] for index in positives)
        barred = asked.excluded | set(asked.evidence)
        negatives = tuple(index for index in pool.candidates if index not in barred and scored[index] < bar)
        if negatives:
            lists.append(TrainingList(pool.conversation, asked, positives, negatives, scored))
    return lists


def find_more_questions(conversations: Sequence[Conversation], *, most: int, seed: int = 7) -> list[Conversation]:
    """Questions that somebody asked in the talk, without known evidence: in distillation the teacher judges."""
    found = []
    for one in conversations:
        asked = []
        for index, text in enumerate(one.texts):
            question = find_last_question(text.rpartition("\n")[2].partition(": ")[2])
            if 5 <= len(question.split()) <= 40:
                asked.append(Question(question, (index,), len(one.texts)))
        found.extend((one, question) for question in asked)
    random.Random(seed).shuffle(found)
    by_name: dict[str, tuple[Conversation, list[Question]]] = {}
    for one, question in found[:most]:
        by_name.setdefault(one.name, (one, []))[1].append(question)
    return [
        Conversation(one.source, one.name, one.texts, one.days, tuple(questions)) for one, questions in by_name.values()
    ]


def batches(lists: Sequence[TrainingList], size: int, rng: random.Random) -> Iterator[list[TrainingList]]:
    order = list(range(len(lists)))
    rng.shuffle(order)
    for start in range(0, len(order) - size + 1, size):
        yield [lists[index] for index in order[start : start + size]]
