"""The output of `up`: its own lines, the lines of its children, and the banner with addresses and demo login."""

import os
import shlex
import sys
import threading
from pathlib import Path
from typing import TextIO

from pydantic import BaseModel, ConfigDict, ValidationError

from memoryplatform.embedded.address import Address
from memoryplatform.embedded.demo import BANK_ID, NAME
from memoryplatform.embedded.errors import StartError
from memoryplatform.embedded.folder import VARIABLE, find_data_dir

NAME_WIDTH = len("worker-background")


class Console:
    """Holds the children's lines back until `stream_logs`, so that the lines of the start stay together."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._held: list[str] | None = []

    def say(self, text: str) -> None:
        with self._lock:
            self._write(text)

    def log(self, name: str, line: str) -> None:
        text = f"{name:<{NAME_WIDTH}} | {line}"
        with self._lock:
            if self._held is None:
                self._write(text)
            else:
                self._held.append(text)

    def stream_logs(self) -> None:
        with self._lock:
            for text in self._held or []:
                self._write(text)
            self._held = None

    def _write(self, text: str) -> None:
        try:
            self._stream.write(f"{text}\n")
            self._stream.flush()
        except OSError:
            # The reader is gone (a closed terminal, `| head`). The service goes on, and its children must not block on
            # pipes that nobody empties.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)


class DemoLogin(BaseModel):
    """The output of `manage.py demo --json`. Only the run that made them knows the password and the key."""

    model_config = ConfigDict(frozen=True)

    email: str
    password: str | None
    api_key: str | None


def parse_demo_login(output: str) -> DemoLogin:
    """Read the last line that fits: warnings may stand before it or after it."""
    for line in reversed(output.splitlines()):
        try:
            return DemoLogin.model_validate_json(line)
        except ValidationError:
            continue
    raise StartError("The demo command printed no login.")


def build_banner(address: Address, demo: DemoLogin, data_dir: Path, *, with_bank: bool = True) -> str:
    password = f" / {demo.password} (shown once)" if demo.password else ""
    lines = [
        f"  Dashboard  {address.url}/dashboard/",
        f"  Login      {demo.email}{password}",
        *([f"  Demo agent {NAME}: {address.url}/dashboard/banks/{BANK_ID}/opinions/"] if with_bank else []),
        "",
        f"  Service    {address.url}",
        f"  Docs       {address.url}/docs/",
        f"  MCP        {address.url}/mcp/",
        f"  Admin      {address.url}/admin/",
        f"  Sign up    {address.url}/accounts/signup/ (e-mails are printed here, unless EMAIL_URL is set)",
        *([f"  API key    {demo.api_key} (shown once)"] if demo.api_key else []),
        "",
        *build_first_steps(address, demo, data_dir),
        "",
        f"  Data       {data_dir}",
        "  Ctrl-C stops everything; the data stays.",
    ]
    return "\n".join(["", *lines, ""])


def build_reminder(address: Address, demo: DemoLogin) -> str:
    """The sign-in once more, below the first lines of the workers; empty if the password is not new."""
    if not demo.password:
        return ""
    lines = [f"  Dashboard  {address.url}/dashboard/", f"  Login      {demo.email} / {demo.password} (not shown again)"]
    return "\n".join(["", *lines, ""])


def build_first_steps(address: Address, demo: DemoLogin, data_dir: Path) -> list[str]:
    if demo.api_key:
        return ["  Try it:", f'  curl -H "Authorization: Bearer {demo.api_key}" {address.url}/v1/banks']
    # Other commands find the default folder by themselves.
    variable = "" if data_dir == find_data_dir(None) else f"{VARIABLE}={shlex.quote(str(data_dir))} "
    return [
        "  Try it:",
        f"  curl {address.url}/health/ready",
        "  Another API key:",
        f"  {variable}{name_program()} create_api_key {demo.email}",
    ]


def name_program() -> str:
    """How this process was started: from a checkout, or by the command of an installed wheel."""
    return "python manage.py" if Path(sys.argv[0]).name == "manage.py" else "memoryplatform manage"
