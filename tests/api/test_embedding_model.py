"""`/v1/banks/{bank_id}/embedding-model`: scopes, states and errors. The change itself: tests/operations."""

import pytest

from providers import registry
from providers.once import Once
from tenants.models import Tenant
from tests.api.conftest import Caller, MakeCaller
from tests.factories import make_bank
from tests.hashed_embedder import HashedEmbedder

PATH = "/v1/banks/support/embedding-model"


@pytest.fixture(autouse=True)
def models(monkeypatch: pytest.MonkeyPatch) -> None:
    second = HashedEmbedder("second", 64)
    monkeypatch.setattr(registry, "EMBEDDER", Once(HashedEmbedder))
    monkeypatch.setattr(registry, "OTHER_EMBEDDERS", Once(lambda: {"second": Once(lambda: second)}))


@pytest.fixture
def admin(alice: Tenant, make_caller: MakeCaller) -> Caller:
    make_bank(alice, bank_id="support")
    return make_caller(alice, scopes=["admin"])


def test_a_change_is_an_operation_that_an_admin_starts(admin: Caller, call: Caller) -> None:
    assert call("POST", PATH, {"model": "second"}).status_code == 403
    assert call("GET", PATH).json() == {
        "bank_id": "support",
        "model": "test",
        "state": "none",
        "other_model": "",
        "available_models": ["test", "second"],
        "operation": None,
    }
    started = admin("POST", PATH, {"model": "second", "switch": "auto", "least_overlap": 0.5})
    assert (started.status_code, started.json()["kind"]) == (202, "change_embedding_model")
    state = call("GET", PATH).json()
    assert (state["state"], state["other_model"]) == ("filling", "second")
    assert state["operation"]["operation_id"] == started.json()["operation_id"]
    again = admin("POST", PATH, {"model": "second"})
    assert (again.status_code, again.json()["code"]) == (409, "embedding_change_state")
    assert call("DELETE", PATH).status_code == 403
    assert admin("DELETE", PATH).status_code == 202


@pytest.mark.parametrize("act", ["switch", "rollback", "finish"])
def test_a_step_at_the_wrong_time_is_refused(admin: Caller, call: Caller, act: str) -> None:
    assert call("POST", f"{PATH}/{act}").status_code == 403
    refused = admin("POST", f"{PATH}/{act}")
    assert (refused.status_code, refused.json()["code"]) == (409, "embedding_change_state")
    assert admin("DELETE", PATH).status_code == 409


@pytest.mark.parametrize(
    "body", [{}, {"model": ""}, {"model": "second", "switch": "now"}, {"model": "s", "least_overlap": 2}]
)
def test_bad_input_is_refused(admin: Caller, body: dict[str, object]) -> None:
    assert admin("POST", PATH, body).status_code == 422


def test_a_model_that_the_deployment_lacks_is_named(admin: Caller, alice: Tenant, call: Caller) -> None:
    refused = admin("POST", PATH, {"model": "third"})
    assert (refused.status_code, "Must be a model of this deployment" in refused.content.decode()) == (422, True)
    make_bank(alice, bank_id="old", embedding_model="third")
    kept = call("POST", "/v1/banks/old/memories", {"items": [{"content": "I sold the boat."}]})
    assert (kept.status_code, kept.json()["code"]) == (503, "embedding_model_unavailable")
    assert "'third'" in kept.json()["detail"]
    assert call("POST", "/v1/banks/old/memories/recall", {"query": "boat"}).status_code == 200
