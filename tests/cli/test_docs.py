"""The examples of docs/cli.md, run in order; the expected output follows each example."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from memoryplatform_client.cli.exits import Exit
from memoryplatform_client.cli.program import COMMANDS
from tests.cli.conftest import Cli
from tests.sdk.conftest import Service

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text()
BLOCKS = re.findall(r"^```console\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
EXAMPLE = re.compile(r"^\$ (.+)\n((?:[^$\n].*\n)*)", flags=re.MULTILINE)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "may.md").write_text("Bob sails to Rome.")
    (tmp_path / "notes" / "june.md").write_text("Carla plays the cello.")
    (tmp_path / "notes" / "july.md").write_text("Emil collects stamps.")
    rows = [{"memory": "Alice cooks.", "user_id": "alice"}, {"memory": "Alice swims.", "user_id": "alice"}]
    (tmp_path / "memories.json").write_text(json.dumps(rows))


def run(cli: Cli, line: str) -> str:
    """Run a pipe: our command in this process, the others in a shell."""
    written = ""
    for part in line.split(" | "):
        words = shlex.split(part)
        if words[0] == "memoryplatform":
            done = cli(*words[1:], stdin=written)
            assert done.code == 0, (line, done.err)
            written = done.out
        else:
            written = subprocess.run(
                ["bash", "-c", part], input=written, capture_output=True, text=True, check=True
            ).stdout
    return written


def test_the_examples_print_the_documented_output(bare_cli: Cli, service: Service, worker: None, files: None) -> None:
    examples = [match for block in BLOCKS for match in EXAMPLE.findall(block)]
    assert len(examples) >= 15
    for line, printed in examples:
        shown = run(bare_cli, line.replace("http://127.0.0.1:8000", service.url).replace("$KEY", service.key))
        if printed:
            assert shown == printed, line


def test_every_command_and_exit_code_is_described() -> None:
    assert [one.name for one in COMMANDS if not re.search(rf"\b{one.name}\b", PAGE)] == []
    assert [code for code in Exit if not re.search(rf"^\|.*\b{code.value}\b.*\|", PAGE, flags=re.MULTILINE)] == []
