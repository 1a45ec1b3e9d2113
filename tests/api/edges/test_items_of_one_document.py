"""Several items of one call with the same document."""

from typing import Any

import pytest

from memoryplatform.embedded.redis import EmbeddedRedis
from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.factories import make_key_with_text, make_tenant
from tests.live_server import use_small_models

OLD = {"document_id": "log", "content": "Dora sold her old bicycle."}
ITEMS: list[dict[str, Any]] = [
    {"document_id": "log", "content": "Alice works at Google in Zurich.", "tags": ["work"], "context": "an interview"},
    {"document_id": "log", "facts": [{"text": "Bob moved to Lisbon."}], "metadata": {"by": "Bob"}},
    {"document_id": "other", "content": "Emil paints the harbour."},
    {"document_id": "log", "content": "Carol sings in a choir.", "update_mode": "replace"},
]


@pytest.fixture
def tenant(committed_db: None, redis_server: EmbeddedRedis, monkeypatch: pytest.MonkeyPatch) -> Tenant:
    use_small_models(monkeypatch)
    return make_tenant("acme")


@pytest.fixture
def call(tenant: Tenant) -> Caller:
    return Caller(make_key_with_text(tenant)[1])


def retain(call: Caller, *items: dict[str, Any]) -> Any:
    return call("POST", "/v1/banks/support/memories", {"items": list(items)}).json()


def list_units(call: Caller) -> dict[str, Any]:
    return {unit["text"]: unit for unit in call("GET", "/v1/banks/support/memories").json()["items"]}


def test_all_items_are_kept_and_the_former_text_is_not(call: Caller) -> None:
    retain(call, OLD)
    told = retain(call, *ITEMS)
    assert (told["status"], told["items_count"], told["notes"]) == ("completed", 4, [])
    text = "Alice works at Google in Zurich.\nBob moved to Lisbon.\nCarol sings in a choir."
    assert call("GET", "/v1/banks/support/documents/log").json()["original_text"] == text
    found = " ".join(list_units(call))
    assert all(word in found for word in ("Zurich", "Lisbon", "choir", "harbour"))
    assert "bicycle" not in found


def test_each_keeps_its_own_labels(call: Caller) -> None:
    retain(call, *ITEMS)
    units = list_units(call)
    assert {text: (unit["tags"], unit["context"], unit["metadata"]) for text, unit in units.items()} == {
        "Alice works at Google in Zurich.": (["work"], "an interview", {}),
        "Bob moved to Lisbon.": ([], "", {"by": "Bob"}),
        "Carol sings in a choir.": ([], "", {}),
        "Emil paints the harbour.": ([], "", {}),
    }


def test_the_same_call_again_changes_nothing(call: Caller) -> None:
    first = retain(call, *ITEMS)["unit_ids"]
    again = retain(call, *ITEMS)
    assert (again["unit_ids"], again["notes"]) == ([], [])
    assert {unit["id"] for unit in list_units(call).values()} == set(first)
