import json

import pytest

from tenants.models import Tenant
from tests.api.conftest import Caller, MakeCaller
from tests.llm_server import ScriptedLLM


def test_a_model_merges_statements_and_the_history_shows_it(call: Caller, llm: ScriptedLLM) -> None:
    call("POST", "/v1/banks", {"bank_id": "support", "background": "I was born in Colorado."})
    llm.chat.say(json.dumps({"background": "I was born in Texas."}))

    response = call("POST", "/v1/banks/support/background", {"content": "You were born in Texas."})

    merged = {"background": "I was born in Texas.", "revision": 2}
    assert response.json() == merged | {"changed": True, "engine": "scripted"}
    assert call("GET", "/v1/banks/support/background").json() == merged
    history = call("GET", "/v1/banks/support/background/revisions").json()
    assert [revision["after"] for revision in history["items"]] == ["I was born in Texas.", "I was born in Colorado."]
    assert history["items"][0]["snippet"] == "You were born in Texas."


def test_without_a_model_a_statement_is_appended_verbatim(call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support", "background": "I was born in Colorado."})

    first, second = (
        call("POST", "/v1/banks/support/background", {"content": "You were born in Texas."}).json() for _ in range(2)
    )

    text = "I was born in Colorado.\nYou were born in Texas."
    assert first == {"background": text, "revision": 2, "changed": True, "engine": "builtin"}
    assert second == first | {"changed": False}


def test_an_empty_statement_is_refused(call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support"})

    assert call("POST", "/v1/banks/support/background", {"content": " "}).status_code == 422
    assert call("POST", "/v1/banks/support/background", {}).status_code == 422


def test_a_statement_without_room_is_refused_with_the_reason(call: Caller) -> None:
    background = "I care. " * 2_400
    call("POST", "/v1/banks", {"bank_id": "support", "background": background})

    refused = call("POST", "/v1/banks/support/background", {"content": f"You care {'very ' * 300}much."})

    assert refused.status_code == 422
    assert "20000 characters" in str(refused.json())
    assert call("GET", "/v1/banks/support/background").json()["background"] == background.strip()


@pytest.mark.parametrize(("scopes", "status"), [(["write"], 403), (["read"], 403), (["read", "write"], 200)])
def test_a_merge_returns_the_background_and_needs_the_read_scope(
    call: Caller, alice: Tenant, make_caller: MakeCaller, scopes: list[str], status: int
) -> None:
    call("POST", "/v1/banks", {"bank_id": "support", "background": "I was born in Colorado."})

    response = make_caller(alice, scopes=scopes)("POST", "/v1/banks/support/background", {"content": "You like tea."})

    assert response.status_code == status


def test_the_background_of_another_tenant_is_not_there(call: Caller, charlie: Tenant, make_caller: MakeCaller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support", "background": "I was born in Colorado."})
    stranger = make_caller(charlie)

    assert stranger("GET", "/v1/banks/support/background").status_code == 404
    assert stranger("GET", "/v1/banks/support/background/revisions").status_code == 404
    assert stranger("POST", "/v1/banks/support/background", {"content": "You are mine."}).status_code == 404
    assert call("GET", "/v1/banks/support/background").json()["background"] == "I was born in Colorado."


def test_how_opinions_move_is_part_of_the_profile(call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support"})

    changed = call("PATCH", "/v1/banks/support", {"opinion_step": 0.1, "opinion_reach": 0.8}).json()

    assert (changed["opinion_step"], changed["opinion_reach"]) == (0.1, 0.8)
    assert call("PATCH", "/v1/banks/support", {"opinion_step": 1.5}).status_code == 422
