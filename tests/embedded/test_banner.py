import sys
from pathlib import Path

import pytest

from memoryplatform.embedded.address import Address
from memoryplatform.embedded.console import DemoLogin, build_banner, build_reminder, parse_demo_login
from memoryplatform.embedded.errors import StartError

ADDRESS = Address("127.0.0.1", 8000)
DATA = Path("/srv/data")


@pytest.fixture(autouse=True)
def started_in_a_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["manage.py", "up"])


def test_the_installed_command_names_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/venv/bin/memoryplatform", "up"])

    banner = build_banner(ADDRESS, DemoLogin(email="a@b.example", password=None, api_key=None), DATA)

    assert "  MEMORYPLATFORM_DATA_DIR=/srv/data memoryplatform manage create_api_key a@b.example\n" in banner


def test_the_first_start_shows_password_and_key_and_a_curl_that_uses_it() -> None:
    banner = build_banner(ADDRESS, DemoLogin(email="a@b.example", password="pass", api_key="key"), DATA)

    assert "Dashboard  http://127.0.0.1:8000/dashboard/\n  Login      a@b.example / pass (shown once)" in banner
    assert "Juno: http://127.0.0.1:8000/dashboard/banks/juno/opinions/" in banner
    assert "key (shown once)" in banner
    assert 'curl -H "Authorization: Bearer key" http://127.0.0.1:8000/v1/banks\n' in banner


def test_later_starts_show_the_login_and_how_to_make_a_key() -> None:
    banner = build_banner(ADDRESS, DemoLogin(email="a@b.example", password=None, api_key=None), DATA)

    assert "a@b.example\n" in banner
    assert "shown once" not in banner
    assert "curl http://127.0.0.1:8000/health/ready\n" in banner
    assert "  MEMORYPLATFORM_DATA_DIR=/srv/data python manage.py create_api_key a@b.example\n" in banner


def test_commands_need_no_variable_where_the_data_lies_in_the_default_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYPLATFORM_DATA_DIR", str(DATA))

    banner = build_banner(ADDRESS, DemoLogin(email="a@b.example", password=None, api_key=None), DATA)

    assert "  python manage.py create_api_key a@b.example\n" in banner


def test_every_start_shows_where_things_are() -> None:
    banner = build_banner(ADDRESS, DemoLogin(email="a@b.example", password=None, api_key=None), DATA)

    for part in (
        "http://127.0.0.1:8000/docs/",
        "http://127.0.0.1:8000/admin/",
        "http://127.0.0.1:8000/accounts/signup/",
        "/srv/data",
        "Ctrl-C stops everything",
    ):
        assert part in banner


def test_a_start_without_the_demo_bank_names_no_demo_agent() -> None:
    demo = DemoLogin(email="a@b.example", password="pass", api_key="key")
    assert "Juno" not in build_banner(ADDRESS, demo, DATA, with_bank=False)


def test_a_new_password_is_said_again_below_the_lines_of_the_workers() -> None:
    demo = DemoLogin(email="a@b.example", password="pass", api_key="key")
    assert "Login      a@b.example / pass" in build_reminder(ADDRESS, demo)
    assert build_reminder(ADDRESS, DemoLogin(email="a@b.example", password=None, api_key=None)) == ""


def test_the_login_is_found_among_log_lines() -> None:
    output = '{"event": "made"}\n{"email": "a@b.example", "password": "p", "api_key": null}\na warning'

    assert parse_demo_login(output) == DemoLogin(email="a@b.example", password="p", api_key=None)


def test_an_answer_without_a_login_is_an_error() -> None:
    with pytest.raises(StartError, match="printed no login"):
        parse_demo_login("nothing\n")
