"""The choice of the service and the key, and the permissions of their file."""

import json
import os

import pytest

from memoryplatform_client.cli.access import is_exposed
from memoryplatform_client.cli.profiles import profiles_path
from tests.cli.conftest import Cli
from tests.sdk.conftest import Service


@pytest.fixture
def logged_in(bare_cli: Cli, service: Service) -> Service:
    assert bare_cli("login", "--url", f"{service.url}/", stdin=f"{service.key}\n").code == 0
    return service


def test_a_profile_is_used(bare_cli: Cli, logged_in: Service) -> None:
    assert bare_cli("banks", "create", "nora").code == 0
    assert bare_cli("banks", "--json").code == 0


def test_the_key_is_its_owners_alone(bare_cli: Cli, logged_in: Service) -> None:
    path = profiles_path()
    assert path.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in path.parent.iterdir()] == ["profiles.json"]
    path.chmod(0o640)
    done = bare_cli("banks")
    assert done.code == 1
    assert f"chmod 600 {path}" in done.err
    path.chmod(0o600)
    assert bare_cli("banks").code == 0


def test_a_careless_umask_makes_no_difference(bare_cli: Cli, service: Service) -> None:
    before = os.umask(0)
    try:
        bare_cli("login", "--url", service.url, stdin=service.key)
    finally:
        os.umask(before)
    assert profiles_path().stat().st_mode & 0o777 == 0o600


def test_a_key_that_the_service_does_not_know_is_not_kept(bare_cli: Cli, service: Service) -> None:
    done = bare_cli("login", "--url", service.url, stdin="mpk_wrong\n")
    assert done.code == 4
    assert not profiles_path().exists()


def test_no_command_shows_the_key(bare_cli: Cli, logged_in: Service) -> None:
    listed = [bare_cli("profiles"), bare_cli("profiles", "list", "--json")]
    assert all(logged_in.key not in done.out + done.err for done in listed)
    assert json.loads(listed[1].out) == [{"name": "default", "url": logged_in.url, "used": True}]


def test_profiles_are_chosen_and_removed(bare_cli: Cli, logged_in: Service) -> None:
    bare_cli("login", "second", "--url", logged_in.url, stdin=logged_in.key)
    assert bare_cli("profiles", "use", "default").code == 0
    assert [row[:2] for row in bare_cli("profiles").rows] == [["*", "default"], ["", "second"]]
    assert bare_cli("profiles", "remove", "default").code == 0
    assert bare_cli("banks").code == 2
    assert bare_cli("banks", "--profile", "second").code == 0
    assert bare_cli("banks", "--profile", "third").code == 2


def test_the_environment_wins(bare_cli: Cli, logged_in: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYPLATFORM_API_KEY", "mpk_other")
    assert bare_cli("banks").code == 4
    monkeypatch.setenv("MEMORYPLATFORM_URL", "http://ann:secret@127.0.0.1:9")
    done = bare_cli("banks")
    assert (done.code, done.err.count("\n")) == (5, 1)
    assert done.err.startswith("GET http://127.0.0.1:9/v1/banks: ")


def test_the_key_of_a_profile_goes_nowhere_else(
    bare_cli: Cli, logged_in: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORYPLATFORM_URL", "http://elsewhere.example")
    done = bare_cli("banks")
    assert done.code == 2
    assert "MEMORYPLATFORM_API_KEY" in done.err


@pytest.mark.parametrize("url", ["ftp://x", "nonsense", "http://", "http://x:99999999"])
def test_a_malformed_address_is_refused(bare_cli: Cli, url: str) -> None:
    assert bare_cli("login", "--url", url, stdin="mpk_x").code == 2


def test_a_key_that_others_can_read_on_its_way_is_warned_of() -> None:
    told = ["http://10.0.0.1", "http://memory.example", "http://[2001:db8::1]:80"]
    quiet = ["https://memory.example", "http://127.0.0.1:8000", "http://localhost", "http://[::1]"]
    assert [url for url in told + quiet if is_exposed(url)] == told


@pytest.mark.parametrize("key", ["", "mpk x", "mpk_ü"])
def test_a_malformed_key_is_refused(bare_cli: Cli, key: str) -> None:
    assert bare_cli("login", stdin=f"{key}\n").code == 2


@pytest.mark.parametrize("content", [b"{", b"\xff\xfa", b"[]"])
def test_a_damaged_file_is_one_sentence(bare_cli: Cli, content: bytes) -> None:
    path = profiles_path()
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    path.chmod(0o600)
    done = bare_cli("profiles")
    assert (done.code, done.err.count("\n")) == (1, 1)
