"""Aliases: further ids that a bank answers to, through Hindsight's client."""

from typing import Any

import pytest
from hindsight_client import Hindsight
from hindsight_client_api.exceptions import ApiException
from hindsight_client_api.models.create_bank_alias_request import CreateBankAliasRequest
from hindsight_client_api.models.set_bank_alias_primary_request import SetBankAliasPrimaryRequest

from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.compat.hindsight.conftest import MakeClient, Run
from tests.factories import make_key_with_text
from tests.retrieval.memory import Memory


@pytest.fixture
def call(alice: Tenant, memory: Memory) -> Caller:
    return Caller(make_key_with_text(alice)[1])


def add(client: Hindsight, run: Run, alias: str, *, bank_id: str = "support", primary: bool = False) -> dict[str, bool]:
    request = CreateBankAliasRequest(alias=alias, primary=primary)
    return read(run(client.banks.create_bank_alias(bank_id, request)))


def read(answer: Any) -> dict[str, bool]:
    assert answer.bank_id == "support"
    return {one.alias: one.primary for one in answer.aliases}


def test_a_bank_answers_to_its_alias(client: Hindsight, run: Run, memory: Memory, call: Caller) -> None:
    memory.unit("Bob has a boat")
    assert add(client, run, "helpdesk") == {"helpdesk": False}
    assert [one.text for one in client.recall("helpdesk", "Bob boat").results] == ["Bob has a boat"]
    client.retain("helpdesk", "Alice moved to Lisbon.", document_id="letters/1")
    assert client.list_memories("support").total == client.list_memories("helpdesk").total
    assert [one.bank_id for one in run(client.banks.list_banks()).banks] == ["support"]
    assert read(run(client.banks.list_bank_aliases("helpdesk"))) == {"helpdesk": False}
    assert call("GET", "/v1/banks/helpdesk").status_code == 404


def test_one_alias_is_primary_and_shown_in_the_list(client: Hindsight, run: Run, memory: Memory, call: Caller) -> None:
    add(client, run, "helpdesk", primary=True)
    assert add(client, run, "desk-2", primary=True) == {"helpdesk": False, "desk-2": True}

    def find(q: str = "") -> list[tuple[str | None, list[str]]]:
        banks = call("GET", f"/v1/default/banks?q={q}").json()["banks"]
        return [(one["display_alias"], one["matched_aliases"]) for one in banks]

    assert find() == find("support") == [("desk-2", [])]
    assert find("DESK") == [("desk-2", ["helpdesk", "desk-2"])]
    assert find("nothing") == []
    request = SetBankAliasPrimaryRequest(primary=True)
    assert read(run(client.banks.set_bank_alias_primary("support", "helpdesk", request))) == {
        "helpdesk": True,
        "desk-2": False,
    }
    request = SetBankAliasPrimaryRequest(primary=False)
    run(client.banks.set_bank_alias_primary("support", "helpdesk", request))
    assert find() == [(None, [])]


def test_a_name_has_one_bank(client: Hindsight, run: Run, memory: Memory, call: Caller) -> None:
    client.create_bank("other")
    add(client, run, "helpdesk")
    for taken in ("other", "helpdesk", "support"):
        with pytest.raises(ApiException) as refused:
            add(client, run, taken)
        assert refused.value.status == 409
    assert call("POST", "/v1/banks", {"bank_id": "helpdesk"}).json()["code"] == "bank_exists"
    assert call("PUT", "/v1/default/banks/helpdesk", {"name": "Desk"}).json()["bank_id"] == "support"
    for wrong in ("a/b", "", " x", "a\u200b"):
        assert call("POST", "/v1/default/banks/support/aliases", {"alias": wrong}).status_code == 422, wrong


def test_a_removed_alias_and_those_of_a_deleted_bank_are_free(
    client: Hindsight, run: Run, memory: Memory, call: Caller
) -> None:
    add(client, run, "first")
    add(client, run, "second")
    assert read(run(client.banks.delete_bank_alias("second", "first"))) == {"second": False}
    assert call("DELETE", "/v1/default/banks/support/aliases/first").status_code == 404
    assert call("GET", "/v1/default/banks/first/stats").status_code == 404
    assert call("DELETE", "/v1/default/banks/second").json()["deleted_count"] == 0
    assert call("GET", "/v1/default/banks/support/stats").status_code == 404
    assert call("PUT", "/v1/default/banks/second", {}).json()["bank_id"] == "second"


def test_an_alias_opens_no_bank_that_the_key_does_not_reach(
    client: Hindsight, run: Run, memory: Memory, alice: Tenant, make_client: MakeClient
) -> None:
    add(client, run, "helpdesk")
    limited = make_client(alice, banks=["other", "helpdesk"])
    with pytest.raises(ApiException) as refused:
        limited.recall("helpdesk", "Bob boat")
    assert (refused.value.status, "support" in str(refused.value.body)) == (404, False)
    with pytest.raises(ApiException) as refused:
        limited.retain("helpdesk", "Bob sails.")
    assert refused.value.status == 404
    reaching = make_client(alice, banks=["support"])
    assert reaching.recall("helpdesk", "Bob boat").results == []
