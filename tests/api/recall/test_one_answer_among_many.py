"""A question with one answer in a bank of 120 memories, with the real models: few results, the answer first."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from retrieval.recall_log import RecallLog
from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.api.recall.person import ALLERGY, SENTENCES
from tests.api.recall.test_retained_and_recalled import real_models, tenant
from tests.factories import make_key_with_text

__all__ = ["real_models", "tenant"]
BANK = "/v1/banks/robin/memories"


@pytest.fixture
def ask(tenant: Tenant, log: RecallLog) -> Any:
    call = Caller(make_key_with_text(tenant)[1])
    messages = [
        {"role": "user", "name": "Robin", "content": text, "timestamp": write_day(place)}
        for place, text in enumerate(SENTENCES)
    ]
    assert call("POST", BANK, {"items": [{"messages": messages}]}).status_code == 200
    asked_at = "2026-08-01T10:00:00Z"
    return lambda query, **fields: call(
        "POST", f"{BANK}/recall", {"query": query, "query_timestamp": asked_at, **fields}
    ).json()


def write_day(place: int) -> str:
    return (datetime(2026, 1, 1, 10, tzinfo=UTC) + timedelta(days=place)).isoformat()


def test_the_bank_is_varied() -> None:
    assert len(SENTENCES) == len(set(SENTENCES)) == 120
    assert [text for text in SENTENCES if "allerg" in text.lower()] == [ALLERGY]


def test_what_am_i_allergic_to_has_few_results_and_the_answer_first(ask: Any) -> None:
    body = ask("What am I allergic to?")
    assert ALLERGY in body["results"][0]["text"]
    assert len(body["results"]) <= 10
    assert len(ask("What am I allergic to?", fill=True)["results"]) > 40
