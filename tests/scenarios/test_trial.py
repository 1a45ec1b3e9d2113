"""Maya talks to her assistant for three months. Her messages are stored verbatim, and answers quote them.

The real embedder and reranker answer, without a language model.
"""

from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from typing import Any

import pytest

from banks.models import MemoryUnit
from memoryplatform.embedded.redis import EmbeddedRedis
from retrieval.types import BUDGETS
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller
from tests.factories import make_key_with_text, make_tenant
from tests.scenarios.trial_history import DATES, HISTORY, QUESTIONS

BANK = "/v1/banks/maya"
ANSWERABLE = [asked for asked in QUESTIONS if asked.evidence]
LEAST_QUOTED = 24  # of the 26 questions that the history answers
ASKED_AT = "2026-05-31T20:00:00+02:00"


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reranker reads as many memories on a busy machine as on a quiet one."""
    for name, budget in BUDGETS.items():
        monkeypatch.setitem(BUDGETS, name, replace(budget, rerank_seconds=None))


@pytest.fixture(scope="module")
def maya(shared_db: None, redis_server: EmbeddedRedis) -> Tenant:
    return make_tenant("maya")


@pytest.fixture(scope="module")
def call(maya: Tenant) -> Caller:
    """The history is retained once, and each test asks about it."""
    caller = Caller(make_key_with_text(maya)[1])
    messages = [{"role": said.role, "content": said.text, "timestamp": said.at} for said in HISTORY]
    answer = caller("POST", f"{BANK}/memories", {"items": [{"thread": "maya", "messages": messages}]})
    assert answer.status_code in {200, 201}, answer.content
    return caller


def recall(call: Caller, question: str) -> list[dict[str, Any]]:
    body = {"query": question, "budget": "mid", "query_timestamp": ASKED_AT}
    results: list[dict[str, Any]] = call("POST", f"{BANK}/memories/recall", body).json()["results"]
    return results


def test_every_message_is_stored_once_in_its_own_words(call: Caller, maya: Tenant) -> None:
    with tenant_transaction(maya.id):
        units = list(MemoryUnit.objects.for_tenant(maya.id).order_by("mentioned_at", "id"))
    said = {(one.role, one.text): datetime.fromisoformat(one.at) for one in HISTORY}
    assert len(units) == len(HISTORY)
    assert {(unit.role, unit.text): unit.mentioned_at for unit in units} == said
    assert {unit.network for unit in units if unit.role == "user"} == {"world"}
    assert {unit.network for unit in units if unit.role == "assistant"} == {"experience"}


def test_dates_are_fields_and_right(call: Caller, maya: Tenant) -> None:
    with tenant_transaction(maya.id):
        units = list(MemoryUnit.objects.for_tenant(maya.id))
    found = {}
    for words in DATES:
        (unit,) = [unit for unit in units if words in unit.text]
        (said,) = [said for said in HISTORY if words in said.text]
        zone = datetime.fromisoformat(said.at).tzinfo
        start, end = unit.occurred_start, unit.occurred_end
        found[words] = start and end and (day_of(start, zone), day_of(end, zone, is_end=True))
    assert found == DATES


def day_of(moment: datetime, zone: tzinfo | None, *, is_end: bool = False) -> str:
    """The day where it was said; the end of an appointment with a clock time counts as the end of its day."""
    local = moment.astimezone(zone)
    if is_end and (local.hour, local.minute) != (0, 0):
        local += timedelta(days=1)
    return f"{local:%Y-%m-%d}"


def test_reflect_quotes_the_answer_and_denies_nothing_that_recall_has(call: Caller) -> None:
    quoted, denied = [], []
    for asked in ANSWERABLE:
        answer = call("POST", f"{BANK}/reflect", {"query": asked.question, "query_timestamp": ASKED_AT}).json()
        assert answer["engine"] == "builtin"
        if asked.evidence in answer["text"]:
            quoted.append(asked.question)
        elif answer["not_in_memory"] and any(asked.evidence in one["text"] for one in recall(call, asked.question)[:3]):
            denied.append(asked.question)
    assert denied == []
    missed = [asked.question for asked in ANSWERABLE if asked.question not in quoted]
    assert len(quoted) >= LEAST_QUOTED, missed


def test_nothing_is_observed_or_believed_without_a_language_model(call: Caller) -> None:
    for name in ("observations", "opinions"):
        body = call("GET", f"{BANK}/{name}").json()
        assert body.get("items", body.get(name)) == []
        assert body["engine"] == "builtin"
