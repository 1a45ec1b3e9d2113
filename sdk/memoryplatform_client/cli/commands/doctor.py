"""`doctor`: check the address, the server and its parts, the API key, the language model, and the versions.

A check that others rest on, such as that of the server, ends the list when it fails.
"""

import argparse
import platform
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import httpx

from memoryplatform_client.calls import ask, fetch, read_object
from memoryplatform_client.cli.access import Access, is_exposed
from memoryplatform_client.cli.command import Command, Given
from memoryplatform_client.cli.exits import Exit
from memoryplatform_client.cli.failures import CommandFailed, describe
from memoryplatform_client.cli.plain_text import in_one_line
from memoryplatform_client.cli.session import Session
from memoryplatform_client.client import VERSION, MemoryClient
from memoryplatform_client.errors import MemoryPlatformError, PermissionDenied
from memoryplatform_client.plans import perform
from memoryplatform_client.retries import RetryPolicy

SECONDS = 10.0
ONCE = RetryPolicy(attempts=1)
TRIAL_BANK = "doctor"  # is never written: the trial asks the model not to store anything
State = Literal["ok", "warning", "failed"]
STYLES: dict[State, str] = {"ok": "green", "warning": "yellow", "failed": "red"}


@dataclass(frozen=True)
class Check:
    """`exit_code` counts if the check failed."""

    name: str
    state: State
    detail: str
    exit_code: Exit = Exit.FAILED


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--ask", action="store_true", help="ask the language model for one word, which costs tokens")


def run(session: Session, given: Given) -> int:
    checks: list[Check] = []
    for check in examine(session, asks_model=given.ask):
        checks.append(check)
        if not session.out.as_json:
            session.out.line(f"{check.state}\t{check.name}\t{in_one_line(check.detail)}", STYLES[check.state])
    failed = [check for check in checks if check.state == "failed"]
    if session.out.as_json:
        shown = [{name: value for name, value in asdict(one).items() if name != "exit_code"} for one in checks]
        session.out.json({"ok": not failed, "checks": shown})
    return failed[0].exit_code if failed else Exit.DONE


def examine(session: Session, *, asks_model: bool) -> Iterator[Check]:
    yield Check("client", "ok", f"version {VERSION}, Python {platform.python_version()}")
    try:
        access = session.access
    except (CommandFailed, OSError) as error:
        failure = describe(error)
        yield Check("access", "failed", failure.sentence, failure.exit_code)
        return
    yield check_address(access)
    server = check_server(access)
    yield server
    if server.state == "failed":
        return
    yield from check_parts(access)
    with MemoryClient(access.url, access.key, retry=ONCE, timeout=httpx.Timeout(60.0, connect=SECONDS)) as client:
        yield attempt("version", lambda: check_version(client))
        key = attempt("key", lambda: check_key(client))
        yield key
        if key.state == "failed":
            return
        yield attempt("LLM", lambda: check_llm(client, asks_model=asks_model))


def attempt(name: str, check: Callable[[], Check]) -> Check:
    try:
        return check()
    except MemoryPlatformError as error:
        failure = describe(error)
        return Check(name, "failed", failure.sentence, failure.exit_code)


def check_address(access: Access) -> Check:
    if is_exposed(access.url):
        return Check("address", "warning", f"{access.url}: the key is sent unencrypted; use https")
    return Check("address", "ok", access.url)


def check_server(access: Access) -> Check:
    started = time.perf_counter()
    try:
        answer = httpx.get(f"{access.url}/health", timeout=SECONDS)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return Check("server", "failed", f"no answer: {error or type(error).__name__}", Exit.UNREACHABLE)
    milliseconds = (time.perf_counter() - started) * 1000
    if not answer.is_success or read_json(answer).get("status") is None:
        return Check(
            "server", "failed", f"{access.url}/health is not an address of this service ({answer.status_code})"
        )
    return Check("server", "ok", f"answers in {milliseconds:.0f} ms")


def check_parts(access: Access) -> Iterator[Check]:
    """The database, the broker, the migrations, and the models for embedding and reranking."""
    try:
        parts = read_json(httpx.get(f"{access.url}/health/ready", timeout=SECONDS)).get("parts")
    except httpx.HTTPError as error:
        yield Check("parts", "failed", f"no answer: {error or type(error).__name__}", Exit.UNREACHABLE)
        return
    if not isinstance(parts, Mapping):
        yield Check("parts", "warning", "the server does not show the state of its parts")
        return
    for name, state in parts.items():
        yield Check(str(name), "ok" if state == "ok" else "failed", str(state))


def read_json(answer: httpx.Response) -> dict[str, Any]:
    """Empty if the answer is no JSON object, such as the page of another server."""
    try:
        body = answer.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def check_version(client: MemoryClient) -> Check:
    server = client.run(perform(fetch("/version", read_object), ONCE)).get("service_version")
    if server is None:
        return Check("version", "warning", "the server does not name its version; it is older than this client")
    if str(server).split(".")[:2] != VERSION.split(".")[:2]:
        return Check("version", "warning", f"the server is {server}, the client {VERSION}: install the same version")
    return Check("version", "ok", f"server {server}")


def check_key(client: MemoryClient) -> Check:
    """A key of any scope may read the account. Only the scope admin may list the keys."""
    account = client.account.get()
    try:
        client.account.keys()
    except PermissionDenied:
        return Check("key", "ok", f"tenant {account.name} ({account.slug})")
    return Check("key", "ok", f"tenant {account.name} ({account.slug}), scope admin")


def check_llm(client: MemoryClient, *, asks_model: bool) -> Check:
    models = client.run(perform(fetch("/models", read_object), ONCE)).get("data") or []
    if not models:
        return Check("LLM", "warning", "none is configured: the built-in engine extracts and answers by quotation")
    name = str(models[0].get("id"))
    if not asks_model:
        return Check("LLM", "ok", f"{name}; --ask tries it")
    question = {"model": "default", "store": False, "messages": [{"role": "user", "content": "Say the word ok."}]}
    started = time.perf_counter()
    client.run(perform(ask(f"/banks/{TRIAL_BANK}/chat/completions", read_object, question), ONCE))
    return Check("LLM", "ok", f"{name} answers in {time.perf_counter() - started:.1f} s")


COMMAND = Command("doctor", "Check the server, the key, the models and the versions.", add_arguments, run)
