"""The cost of reflect on top of the recall and the model: the prompt, the citations, and storing opinions."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from banks.enums import Network
from banks.models import Bank
from benchmarks.latency.scripted_model import ScriptedModel
from benchmarks.options import Options
from benchmarks.recall.summary import describe
from benchmarks.report import Goal
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.reflect import build_tools
from reflection.reflect.reflect import reflect
from reflection.reflect.types import ReflectQuery
from retrieval.filters.types import Filters
from retrieval.types import RecallQuery

NEW_OPINIONS = (0, 1, 3)  # per answer
MOST_MILLISECONDS = 60
# Only facts are evidence. The opinions of earlier questions would rank first otherwise.
FACTS = Filters(networks=(Network.WORLD, Network.EXPERIENCE))


class NotFormed(Exception):
    """The answer did not form the expected opinions, so there is nothing to measure."""


def measure_reflect(access: BankAccess, bank: Bank, texts: Sequence[str], options: Options) -> dict[str, Any]:
    """Ask each question once for each number of opinions, alternately, so that other load affects all equally."""
    model = ScriptedModel()
    tools = replace(build_tools(access, bank), llm=model)
    taken: dict[int, list[float]] = {count: [] for count in NEW_OPINIONS}
    for text in options.progress.over(texts, "reflect"):
        for count in NEW_OPINIONS:
            model.opinions = invent(text, count)
            result = reflect(bank, ReflectQuery(RecallQuery(text, datetime.now(UTC), filters=FACTS, fills=True)), tools)
            if len(result.opinions) != count:
                raise NotFormed(f"{len(result.opinions)} opinions were formed in place of {count}.")
            taken[count].append(result.trace.own_milliseconds)
    return {"reflect_own_ms": {str(count): describe(milliseconds) for count, milliseconds in taken.items()}}


def invent(text: str, count: int) -> list[str]:
    """New opinions on different subjects. An opinion that the bank already holds would be cheaper."""
    about = text.rstrip("?")
    forms = ("I think that '{}' is worth asking", "I doubt the tale behind '{}'", "I enjoy remembering '{}' of {}")
    return [form.format(about, count) for form in forms[:count]]


def list_reflect_goals(figures: dict[str, Any]) -> list[Goal]:
    own = figures["reflect_own_ms"]
    return [
        Goal(f"reflect's own time, {count} new opinions: p95 ms", own[str(count)]["p95"], at_most=MOST_MILLISECONDS)
        for count in NEW_OPINIONS
    ]
