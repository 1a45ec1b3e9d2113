from dataclasses import replace
from datetime import datetime
from typing import Any

from benchmarks.serial_executor import SerialExecutor
from retrieval.analysis import analyse
from retrieval.channels import DECLARED
from retrieval.channels.lookups import Lookups
from retrieval.plan import build_plan
from retrieval.search import start_lookups, start_words
from retrieval.types import Channel, Hit, RecallQuery
from tests.retrieval.fakes import embed
from tests.retrieval.memory import NOW, Memory


def begin_search(memory: Memory, text: str, *, asked_at: datetime = NOW, **fields: Any) -> Lookups:
    """The input of a channel for a query with this text."""
    query = RecallQuery(text, asked_at, **fields)
    plan = build_plan(query, replace(analyse(query), vector=embed(text)))
    executor = SerialExecutor()
    (words,) = start_words([memory.bank], plan, executor)
    return start_lookups(
        memory.bank, plan, words, executor, vector=plan.analysis.vector, deadline=plan.limits.start_clock()
    )


def search(channel: Channel, memory: Memory, text: str, **fields: Any) -> list[Hit]:
    return DECLARED[channel].search(begin_search(memory, text, **fields))
