"""What reflect adds to the recall and the model: the prompt, the citations, the opinions with all that they touch."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from banks.models import Bank
from banks.words import Network
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

NEW_OPINIONS = (0, 1, 3)  # that one answer forms
MOST_MILLISECONDS = 60
# Only facts are evidence, and the opinions of the question before would stand first.
FACTS = Filters(networks=(Network.WORLD, Network.EXPERIENCE))


class NotFormed(Exception):
    """What was to be measured did not happen."""


def measure_reflect(access: BankAccess, bank: Bank, texts: Sequence[str], options: Options) -> dict[str, Any]:
    """Each question once for each number of opinions, by turns, so that what else the machine does meets all alike."""
    model = ScriptedModel()
    tools = replace(build_tools(access), llm=model)
    taken: dict[int, list[float]] = {count: [] for count in NEW_OPINIONS}
    for text in options.progress.over(texts, "reflect"):
        for count in NEW_OPINIONS:
            model.opinions = invent(text, count)
            result = reflect(bank, ReflectQuery(RecallQuery(text, datetime.now(UTC), filters=FACTS)), tools)
            if len(result.opinions) != count:
                raise NotFormed(f"{len(result.opinions)} opinions were formed in place of {count}.")
            taken[count].append(result.trace.own_milliseconds)
    return {"reflect_own_ms": {str(count): describe(milliseconds) for count, milliseconds in taken.items()}}


def invent(text: str, count: int) -> list[str]:
    """New ones, about different matters: what the bank believes already is cheaper."""
    about = text.rstrip("?")
    forms = ("I think that '{}' is worth asking", "I doubt the tale behind '{}'", "I enjoy remembering '{}' of {}")
    return [form.format(about, count) for form in forms[:count]]


def list_reflect_goals(figures: dict[str, Any]) -> list[Goal]:
    own = figures["reflect_own_ms"]
    return [
        Goal(f"reflect's own time, {count} new opinions: p95 ms", own[str(count)]["p95"], at_most=MOST_MILLISECONDS)
        for count in NEW_OPINIONS
    ]
