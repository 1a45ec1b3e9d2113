"""Listing, creating, rotating and revoking API keys."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from memoryplatform_client import MemoryClient, Unauthenticated
from tests.cli.conftest import Cli
from tests.factories import make_key_with_text, make_tenant
from tests.sdk.conftest import Service


@pytest.fixture
def service(server_url: str, shared_db: None, redis_server: object) -> Service:
    return Service(server_url, make_key_with_text(make_tenant(), scopes=["admin"], name="admin")[1])


def works(service: Service, key: str) -> bool:
    with MemoryClient(service.url, key) as client:
        try:
            list(client.banks.list())
        except Unauthenticated:
            return False
        return True


def test_a_key_is_made_rotated_and_revoked(cli: Cli, service: Service) -> None:
    made = cli("keys", "create", "agent", "--scope", "read", "--bank", "support", "--days", "3")
    key = made.out.strip()
    assert (made.code, key[:4], "not shown again" in made.err) == (0, "mpk_", True)
    prefix = key.split("_")[1]
    rows = {row[1]: row for row in cli("keys").rows}
    assert rows["agent"][:4] == [prefix, "agent", "read", "support"]
    assert rows["agent"][4].startswith("until ")

    new = cli("keys", "rotate", f"mpk_{prefix}", "--overlap-hours", "0").out.strip()
    assert (works(service, key), works(service, new)) == (False, True)
    assert [row[0] for row in cli("keys").rows if row[1] == "agent"] == [new.split("_")[1]]
    assert len([row for row in cli("keys", "list", "--all").rows if row[1] == "agent"]) == 2

    assert cli("keys", "revoke", new.split("_")[1], "--yes").out == f"Revoked {new.split('_')[1]} (agent).\n"
    assert not works(service, new)


def test_a_rotated_key_works_for_another_day_by_default(cli: Cli, service: Service) -> None:
    key = cli("keys", "create", "agent").out.strip()
    rotated = cli("keys", "rotate", key.split("_")[1])
    assert rotated.code == 0
    assert works(service, key)
    assert works(service, rotated.out.strip())


def test_the_json_of_a_new_key(cli: Cli) -> None:
    ends = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    made = json.loads(cli("keys", "create", "agent", "--expires-at", ends, "--json").out)
    assert (made["key"]["scopes"], made["text"][:4]) == (["read", "write"], "mpk_")
    assert made["key"]["prefix"] in {one["prefix"] for one in json.loads(cli("keys", "--json").out)}


def test_a_revocation_is_confirmed(cli: Cli, service: Service) -> None:
    key = cli("keys", "create", "agent").out.strip()
    prefix = key.split("_")[1]
    assert cli("keys", "revoke", prefix).code == 2
    assert cli("keys", "revoke", prefix, stdin="no\n", is_terminal=True).code == 1
    assert works(service, key)
    assert cli("keys", "revoke", prefix, stdin=f"{prefix}\n", is_terminal=True).code == 0
    assert not works(service, key)


def test_an_unknown_key_and_a_whole_key_are_refused(cli: Cli, service: Service) -> None:
    assert cli("keys", "revoke", "0123456789ab", "--yes").code == 3
    whole = cli("keys", "revoke", service.key, "--yes")
    assert (whole.code, service.key in whole.err) == (2, False)
    assert cli("keys", "create", " ").code == 2


def test_a_key_without_the_scope_admin_may_not(bare_cli: Cli, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYPLATFORM_API_KEY", cli("keys", "create", "reader", "--scope", "read").out.strip())
    assert bare_cli("keys").code == 4
