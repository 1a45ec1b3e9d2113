"""Every error is one sentence, a code and an exit code; never a traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from memoryplatform_client.cli import program, session
from memoryplatform_client.cli.commands import banks
from memoryplatform_client.cli.program import COMMANDS
from tests.cli.conftest import Cli
from tests.sdk.conftest import Service
from tests.sdk.scripted import make_client

SDK = Path(__file__).resolve().parents[2] / "sdk"


def test_a_refusal_names_its_code_and_the_request(cli: Cli) -> None:
    done = cli("banks", "show", "nowhere")
    assert (done.code, done.out, done.err.count("\n")) == (3, "", 1)
    assert "(404 bank_not_found, request " in done.err


def test_a_refusal_as_json(cli: Cli) -> None:
    done = cli("banks", "show", "nowhere", "--json")
    told = json.loads(done.err)
    assert (done.out, told["code"]) == ("", "bank_not_found")
    assert told["request_id"]


def test_an_answer_of_something_else_is_one_line(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    page = httpx.Response(200, text="<html>\n<p>Log in</p>")
    monkeypatch.setattr(session, "MemoryClient", lambda *_: make_client(httpx.MockTransport(lambda _: page)))
    done = cli("banks")
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "not JSON" in done.err


def test_a_damaged_answer_is_one_line(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "MemoryClient", lambda *_: make_client(httpx.MockTransport(damage)))
    for words in (("banks",), ("export", "nora")):
        done = cli(*words)
        assert (done.code, done.err.count("\n")) == (5, 1)
        assert "http://service/v1/banks" in done.err


def damage(_request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, headers={"Content-Encoding": "gzip"}, stream=httpx.ByteStream(b"no gzip"))


def test_an_interrupt_is_no_traceback(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(banks, "given_ones", interrupt)
    assert cli("banks").code == 130


@pytest.mark.parametrize("loading", ["memoryplatform_client.cli", "memoryplatform_client.cli.program"])
def test_an_interrupt_at_the_start_is_no_traceback(loading: str) -> None:
    """The interrupt arrives while the named module is imported."""
    script = f"""
import sys
class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == {loading!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted())
from memoryplatform_command import main
sys.exit(main())
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=SDK, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "Interrupted.\n")


@pytest.mark.parametrize("words", [("nonsense",), ("banks", "nonsense"), ("recall", "b"), ("recall", "b", "q", "--x")])
def test_wrong_words_are_answered_with_the_usage_or_as_json(bare_cli: Cli, words: tuple[str, ...]) -> None:
    done = bare_cli(*words)
    assert done.code == 2
    assert done.err.startswith("usage: memoryplatform")
    done = bare_cli(*words, "--json")
    told = json.loads(done.err)
    assert (done.code, done.out, told["code"], told["request_id"]) == (2, "", "usage", "")
    assert told["detail"].endswith(".")


def test_a_text_that_follows_two_dashes_asks_for_no_json(bare_cli: Cli) -> None:
    assert bare_cli("recall", "b", "q", "--x", "--", "--json").err.startswith("usage: memoryplatform")


def test_help_and_version_are_no_failure(bare_cli: Cli) -> None:
    bare = bare_cli()
    assert (bare.code, bare.err) == (0, "")
    assert all(one.name in bare.out for one in COMMANDS)
    assert bare_cli("--help").code == 0
    assert bare_cli("banks", "--help").code == 0
    assert bare_cli("--version").out.startswith("memoryplatform ")


def test_help_names_the_commands_of_an_installed_service(bare_cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = " ".join(bare_cli().out.split())
    assert ("`memoryplatform up`" in shown, "`memoryplatform manage COMMAND`" in shown) == (True, True)
    monkeypatch.setattr(program, "find_spec", lambda _: None)
    assert "up" not in bare_cli().out.split()


@pytest.mark.parametrize("missing", ["rich", "platformdirs"])
def test_without_the_extra_it_names_the_package_to_install(missing: str) -> None:
    without = f"import sys; sys.modules[{missing!r}] = None"
    script = f"{without}; from memoryplatform_client.cli.entry import main; main(['banks'])"
    done = subprocess.run([sys.executable, "-c", script], cwd=SDK, capture_output=True, text=True, check=True)
    assert done.stderr == f'The command line needs {missing}: pip install "memoryplatform-client[cli]"\n'


def test_a_closed_pipe_is_no_failure(service: Service) -> None:
    """The reader closes the pipe while the command still writes, as `head` does."""
    variables = {"MEMORYPLATFORM_URL": service.url, "MEMORYPLATFORM_API_KEY": service.key}
    command = f"{sys.executable} -m memoryplatform_client.cli banks --json | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=SDK, env=os.environ | variables, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize(("closed", "code"), [("banks >&-", 0), ("retain support <&-", 1), ("inspect nope 2>&-", 3)])
def test_a_stream_that_is_closed_is_an_empty_one(service: Service, closed: str, code: int) -> None:
    variables = {"MEMORYPLATFORM_URL": service.url, "MEMORYPLATFORM_API_KEY": service.key}
    command = f"{sys.executable} -m memoryplatform_client.cli {closed}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=SDK, env=os.environ | variables, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "Traceback" in done.stderr, "nope" in done.stdout) == (code, False, False)
