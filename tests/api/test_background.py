import pytest

from tenants.models import Tenant
from tests.api.conftest import Caller, MakeCaller


def test_news_are_merged_and_the_history_tells_it(call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support", "background": "I was born in Colorado."})

    response = call("POST", "/v1/banks/support/background", {"content": "You were born in Texas."})

    merged = {"background": "I was born in Texas.", "revision": 2}
    assert response.json() == merged | {"changed": True, "engine": "builtin"}
    assert call("GET", "/v1/banks/support/background").json() == merged
    history = call("GET", "/v1/banks/support/background/revisions").json()
    assert [revision["after"] for revision in history["items"]] == ["I was born in Texas.", "I was born in Colorado."]
    assert history["items"][0]["snippet"] == "You were born in Texas."


def test_empty_news_are_refused(call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support"})

    assert call("POST", "/v1/banks/support/background", {"content": " "}).status_code == 422
    assert call("POST", "/v1/banks/support/background", {}).status_code == 422


def test_news_that_are_too_long_are_refused_with_the_reason(call: Caller) -> None:
    call("POST", "/v1/banks", {"bank_id": "support", "background": "I was born in Colorado."})

    refused = call("POST", "/v1/banks/support/background", {"content": f"You care {'very ' * 200}much."})

    assert refused.status_code == 422
    assert "800 characters" in str(refused.json())
    assert call("GET", "/v1/banks/support/background").json()["background"] == "I was born in Colorado."


@pytest.mark.parametrize(("scopes", "status"), [(["write"], 403), (["read"], 403), (["read", "write"], 200)])
def test_a_merge_shows_the_background_and_wants_the_right_to_read_it(
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
