"""Lena talks to Sol for nine months, with the recorded answers of a language model.

The stored facts, their ends, their dates, the opinions and the answers are those of the whole pipeline. See
`recorded/player.py` for how answers are recorded.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from banks.enums import Network
from banks.models import Bank, MemoryUnit
from banks.models.unit import UnitQuerySet
from benchmarks.qa.memory import perform_follow_ups
from benchmarks.serial_executor import SerialExecutor
from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.operations import reflect as reflecting
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import BankChange, create_bank
from providers import registry, tokens
from providers.once import Once
from providers.reranking.none import NoReranker
from reflection.reflect import tools
from retrieval import threads
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller
from tests.factories import make_key_with_text, make_tenant
from tests.llm_server import ScriptedLLM
from tests.scenarios.recorded.conversation import (
    ASKED_AT,
    CHANGES,
    DATES,
    QUESTIONS,
    SESSIONS,
    STANDING,
    Asked,
    Change,
    Session,
)
from tests.scenarios.recorded.lexical_embedder import LexicalEmbedder
from tests.scenarios.recorded.player import RecordedModel

ANSWERS = Path(__file__).parent / "recorded" / "answers.jsonl"
BANK = "/v1/banks/sol"


@dataclass(frozen=True)
class Outcome:
    """The bank after all sessions, the answers to the questions, and the calls of the model."""

    bank: Bank
    answers: dict[str, dict[str, Any]]
    model: RecordedModel
    tokens_to_retain: int
    calls_to_retain: int

    def find(self, words: Sequence[str], *, ended: bool) -> list[MemoryUnit]:
        """The factual memories whose text has all the words."""
        with tenant_transaction(self.bank.tenant_id):
            units: UnitQuerySet = MemoryUnit.objects.of_bank(self.bank).filter(network__in=["world", "experience"])
            found = list(units.order_by("mentioned_at", "id"))
        asked = datetime.fromisoformat(ASKED_AT)
        return [
            unit
            for unit in found
            if all(word.casefold() in unit.text.casefold() for word in words)
            and ended == (unit.expired_at is not None or (unit.valid_until is not None and unit.valid_until <= asked))
        ]


@pytest.fixture(scope="module")
def outcome(shared_db: None, redis_server: EmbeddedRedis) -> Iterator[Outcome]:
    """Vectors of words and no reranker: every machine builds the same prompts."""
    tenant = make_tenant("lena")
    caller = Caller(make_key_with_text(tenant)[1])
    model = RecordedModel(ANSWERS)
    with pytest.MonkeyPatch.context() as patch, ScriptedLLM() as server:
        patch.setattr(registry, "EMBEDDER", Once(LexicalEmbedder))
        patch.setattr(reflecting, "get_reranker", NoReranker)
        patch.setattr(threads, "EXECUTOR", Once(SerialExecutor))
        patch.setattr(tools, "EXECUTOR", Once(SerialExecutor))
        server.chat.otherwise = model.respond
        with override_settings(
            LLM_BASE_URL=server.url,
            LLM_MODEL="recorded",
            LLM_MAX_RETRIES=0,
            LLM_TIMEOUT_SECONDS=900,
            OBSERVATION_LEAST_FACTS=3,
        ):
            registry.LANGUAGE_MODELS.reset()
            try:
                yield play(tenant, caller, model)
            finally:
                model.close()
        registry.LANGUAGE_MODELS.reset()


def play(tenant: Tenant, caller: Caller, model: RecordedModel) -> Outcome:
    bank = create_bank(BankAccess(tenant.id), "sol", BankChange(name="Sol", background="I am Sol, Lena's assistant."))
    for session in SESSIONS:
        retain(caller, session)
        perform_follow_ups(bank)
    tokens_to_retain, calls_to_retain = model.tokens, len(model.calls)
    answers = {one.question: ask(caller, one.question) for one in QUESTIONS}
    return Outcome(bank, answers, model, tokens_to_retain, calls_to_retain)


def retain(caller: Caller, session: Session) -> None:
    messages = []
    for line in session.lines:
        name, _, text = line.partition(": ")
        role = "assistant" if name == "Sol" else "user"
        messages.append({"role": role, "name": name, "content": text, "timestamp": session.at})
    answer = caller("POST", f"{BANK}/memories", {"items": [{"thread": "lena", "messages": messages}]})
    assert answer.status_code in {200, 201}, answer.content
    assert answer.json()["status"] == "completed", answer.content


def ask(caller: Caller, question: str) -> dict[str, Any]:
    answer = caller("POST", f"{BANK}/reflect", {"query": question, "query_timestamp": ASKED_AT, "budget": "low"})
    assert answer.status_code == 200, answer.content
    answered: dict[str, Any] = answer.json()
    return answered


@pytest.mark.parametrize("change", CHANGES, ids=lambda one: " ".join(one.before))
def test_a_change_ends_what_it_changes(outcome: Outcome, change: Change) -> None:
    assert (len(outcome.find(change.before, ended=True)), outcome.find(change.before, ended=False)) == (1, [])
    assert outcome.find(change.after, ended=False)


@pytest.mark.parametrize("words", STANDING, ids=" ".join)
def test_nothing_else_ends(outcome: Outcome, words: Sequence[str]) -> None:
    assert (outcome.find(words, ended=True), bool(outcome.find(words, ended=False))) == ([], True)


@pytest.mark.parametrize("words", DATES, ids=" ".join)
def test_events_have_the_day_that_was_said(outcome: Outcome, words: Sequence[str]) -> None:
    found = [*outcome.find(words, ended=False), *outcome.find(words, ended=True)]
    assert DATES[tuple(words)] in {f"{one.occurred_start:%Y-%m-%d}" for one in found if one.occurred_start}


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda one: one.question)
def test_questions_are_answered_rightly(outcome: Outcome, asked: Asked) -> None:
    answer = outcome.answers[asked.question]
    assert [word for word in asked.answer if word.casefold() not in answer["text"].casefold()] == []
    assert answer["not_in_memory"] == (not asked.answer)


def test_the_opinion_on_mornings_gives_way_to_evidence(outcome: Outcome) -> None:
    with tenant_transaction(outcome.bank.tenant_id):
        held = MemoryUnit.objects.of_bank(outcome.bank).current().filter(network=Network.OPINION)
        texts = list(held.values_list("text", flat=True))
    assert any("at night" in text for text in texts)
    assert not any("in the mornings, before" in text for text in texts)


def test_retain_costs_few_calls(outcome: Outcome) -> None:
    """Every line is news here, so a token of the source takes more than in other conversations (docs/benchmarks.md)."""
    source = sum(tokens.count(line) for session in SESSIONS for line in session.lines)
    assert outcome.calls_to_retain <= 3 * len(SESSIONS)
    assert outcome.tokens_to_retain / source < 13
