"""A bank full of ready facts, and questions about them."""

import random
import re
from collections.abc import Sequence
from datetime import UTC, datetime

from banks.models import Bank
from banks.retain.input import RetainItem
from banks.types import ExtractedFact
from benchmarks.options import Options
from benchmarks.progress import in_batches
from benchmarks.ready_facts import read_notes
from benchmarks.tenant import maintain_index, make_bank, retain_now
from memoryplatform.operations.access import BankAccess

UNITS = 10_000
FACTS_A_CALL = 500
WORD = re.compile(r"[A-Za-z][\w'-]{3,}")
FORMS = (
    "What do you know about {}?",
    "When was {} mentioned?",
    "How many times did {} come up?",
    "What happened with {} last month?",
    "Who talked about {}?",
)
WORDS_A_QUESTION = 4
SEED = 7


def fill_bank(access: BankAccess, options: Options) -> tuple[Bank, list[ExtractedFact]]:
    facts = read_notes(options.require("*notes*.jsonl.xz", "*.jsonl.xz", "*.jsonl"))[: options.cut(UNITS)]
    bank = make_bank(access, "latency")
    for batch in options.progress.over(in_batches(facts, FACTS_A_CALL), "filling the bank"):
        retain_now(access, bank.bank_id, [RetainItem(datetime.now(UTC), facts=tuple(batch))])
    maintain_index(access, bank)
    return bank, facts


def build_questions(texts: Sequence[str], count: int, *, seed: int = SEED) -> list[str]:
    """Put some words of a text into one of a few question forms. The questions are the same in every run."""
    chance = random.Random(seed)  # noqa: S311  # a sample, not a secret
    questions = []
    for place in range(count):
        words = WORD.findall(chance.choice(texts)) or ["everything"]
        about = " ".join(chance.sample(words, min(WORDS_A_QUESTION, len(words))))
        questions.append(FORMS[place % len(FORMS)].format(about))
    return questions
