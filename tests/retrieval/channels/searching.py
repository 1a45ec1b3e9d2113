from datetime import datetime
from typing import Any

from banks.text_index.lexemes import extract_lexemes
from retrieval.lookups.shared import Lookups
from retrieval.plan import build_plan
from retrieval.query.reading import read_query
from retrieval.searching import Question, ask_words, begin, start_words
from retrieval.threads import SerialExecutor
from retrieval.types import RecallQuery
from tests.retrieval.fakes import MODEL, embed
from tests.retrieval.memory import NOW, Memory


def begin_search(memory: Memory, text: str, *, asked_at: datetime = NOW, **fields: Any) -> Lookups:
    """What a channel is given, for a query in these words."""
    query = RecallQuery(text, asked_at, **fields)
    plan = build_plan(query, read_query(query))
    lexemes = tuple(extract_lexemes(text))
    executor = SerialExecutor()
    (words,) = start_words([memory.bank], ask_words(plan, lexemes), executor)
    return begin(memory.bank, Question(plan, embed(text), MODEL, plan.limits.start_clock()), words, executor)
