"""The questions of LoCoMo and LongMemEval with their published answers, and the choice of some of them."""

import json
import lzma
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from benchmarks.option_table import split
from benchmarks.qa.options import QAOptions
from benchmarks.recall import locomo_data, longmemeval_data
from benchmarks.recall.cases import Case

ADVERSARIAL = locomo_data.APART
CITATION_ONLY = "WRONG_CITATION"  # the audit rejects the evidence of such a question, not its answer


@dataclass(frozen=True)
class Question:
    """`gold` is the published answer, or for an abstention the reason why there is none.

    `is_disputed`: an audit of the data rejects the published answer.
    """

    id: str
    text: str
    type: str
    asked_at: datetime
    gold: str
    is_abstention: bool = False
    is_disputed: bool = False


@dataclass(frozen=True)
class Conversation:
    """`case` has the turns. Its own questions, those with known evidence, are not asked here."""

    case: Case
    questions: tuple[Question, ...]


def read_conversations(path: Path) -> list[Conversation]:
    content = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    rows = json.loads(content)
    if isinstance(rows, list) and rows and isinstance(rows[0], dict):
        if "haystack_sessions" in rows[0]:
            return [read_longmemeval(row) for row in rows]
        if "conversation" in rows[0]:
            disputed = read_disputed(path.parent)
            return [read_locomo(sample, disputed) for sample in rows]
    raise CommandError(f"{path} is neither a file of LoCoMo nor of LongMemEval.")


def read_longmemeval(row: Mapping[str, Any]) -> Conversation:
    question = Question(
        id=row["question_id"],
        text=row["question"],
        type=row["question_type"],
        asked_at=longmemeval_data.read_moment(row["question_date"]),
        gold=str(row["answer"]),
        is_abstention=row["question_id"].endswith("_abs"),
    )
    turns = tuple(turn for turn, _ in longmemeval_data.read_turns(row))
    return Conversation(Case(row["question_id"], turns, ()), (question,))


def read_disputed(folder: Path) -> set[tuple[str, int]]:
    audits = sorted(folder.glob(locomo_data.AUDIT))
    rows = json.loads(audits[0].read_text(encoding="utf-8")) if audits else []
    return {(row["sample_id"], row["qa_index"]) for row in rows if row["error_type"] != CITATION_ONLY}


def read_locomo(sample: Mapping[str, Any], disputed: set[tuple[str, int]]) -> Conversation:
    name = sample["sample_id"]
    turns = tuple(locomo_data.read_turns(sample["conversation"]))
    asked_at = max(turn.said_at for turn in turns) + timedelta(days=1)
    questions = []
    for place, row in enumerate(sample["qa"]):
        kind = locomo_data.CATEGORIES[row["category"]]
        questions.append(
            Question(
                id=f"{name}-{place}",
                text=row["question"],
                type=kind,
                asked_at=asked_at,
                gold=explain_trap(row) if kind == ADVERSARIAL else str(row["answer"]),
                is_abstention=kind == ADVERSARIAL,
                is_disputed=(name, place) in disputed,
            )
        )
    return Conversation(Case(name, turns, ()), tuple(questions))


def explain_trap(row: Mapping[str, Any]) -> str:
    """An adversarial question mixes up people or events, and its published answer is the wrong one that it invites."""
    trap = f"The question assumes something that was never said. A wrong answer to it is: {row['adversarial_answer']}"
    return f"{trap}. The right answer is: {row['answer']}" if "answer" in row else trap


def choose_questions(
    conversations: Sequence[Conversation], options: QAOptions, limit: int | None
) -> list[Conversation]:
    """Conversations without a chosen question are left out. The same seed chooses the same questions."""
    named = choose_conversations(conversations, options.conversations)
    types = set(split(options.types))
    pool = [one for conversation in named for one in conversation.questions if not types or one.type in types]
    draw = random.Random(options.seed)  # noqa: S311  # a sample, not a secret
    if options.questions_per_type is not None:
        pool = take_of_each_type(pool, options.questions_per_type, draw)
    if limit is not None:
        pool = take_spread(pool, limit, draw)
    chosen = {one.id for one in pool}
    cut = [replace(one, questions=tuple(each for each in one.questions if each.id in chosen)) for one in named]
    return [one for one in cut if one.questions]


def choose_conversations(conversations: Sequence[Conversation], wanted: str | None) -> list[Conversation]:
    if wanted is None:
        return list(conversations)
    if wanted.isdecimal():
        return list(conversations[: int(wanted)])
    by_name = {one.case.name: one for one in conversations}
    unknown = [name for name in split(wanted) if name not in by_name]
    if unknown:
        raise CommandError(f"There is no conversation {unknown[0]} in the data.")
    return [by_name[name] for name in split(wanted)]


def take_of_each_type(pool: Sequence[Question], most: int, draw: random.Random) -> list[Question]:
    groups: dict[tuple[str, bool], list[Question]] = {}
    for one in pool:
        groups.setdefault((one.type, one.is_abstention), []).append(one)
    chosen = {one.id for group in groups.values() for one in draw.sample(group, min(most, len(group)))}
    return [one for one in pool if one.id in chosen]


def take_spread(pool: Sequence[Question], count: int, draw: random.Random) -> list[Question]:
    """One question of each of `count` equal stretches of the file, so that every conversation and type occurs."""
    count = min(count, len(pool))
    edges = [place * len(pool) // count for place in range(count)] + [len(pool)] if count else []
    return [pool[draw.randrange(start, end)] for start, end in pairwise(edges)]
