"""Exporting a bank to a file and importing it."""

import json
from pathlib import Path

from memoryplatform_client import MemoryClient
from tests.cli.conftest import Cli


def test_a_bank_is_copied_by_a_file(cli: Cli, client: MemoryClient, worker: None, tmp_path: Path) -> None:
    client.retain("source", facts=[{"text": "Ana plays the cello in Porto."}])
    file = tmp_path / "source.jsonl"
    assert cli("export", "source", "-o", file).code == 0
    assert file.stat().st_mode & 0o777 == 0o600
    assert cli("import", "copy", file).code == 0
    assert cli("recall", "copy", "Who plays the cello?").rows[0][-1] == "Ana plays the cello in Porto."


def test_lines_go_through_a_pipe(cli: Cli, client: MemoryClient, worker: None) -> None:
    client.retain("source", facts=[{"text": "Ana plays the cello in Porto."}])
    lines = cli("export", "source").out
    assert json.loads(lines.splitlines()[0])["type"] == "header"
    assert json.loads(cli("import", "copy", "-", "--json", stdin=lines).out)["rows"]["unit"] == 1


def test_a_file_is_not_overwritten_by_accident(cli: Cli, client: MemoryClient, tmp_path: Path) -> None:
    client.banks.create("source")
    file = tmp_path / "source.jsonl"
    file.write_text("mine")
    assert cli("export", "source", "-o", file).code == 2
    assert file.read_text() == "mine"
    assert cli("export", "source", "-o", file, "--force").code == 0


def test_a_folder_that_is_not_there_is_named(cli: Cli, tmp_path: Path) -> None:
    done = cli("export", "source", "-o", tmp_path / "nodir" / "f.jsonl")
    assert (done.code, done.err) == (2, f"There is no folder {tmp_path / 'nodir'}.\n")


def test_errors_name_the_requested_file(cli: Cli, client: MemoryClient, tmp_path: Path) -> None:
    client.banks.create("source")
    done = cli("export", "source", "-o", tmp_path, "--force")
    assert (done.code, done.err) == (1, f"{tmp_path}: Is a directory\n")


def test_an_export_that_fails_leaves_no_file(cli: Cli, tmp_path: Path) -> None:
    assert cli("export", "nowhere", "-o", tmp_path / "f.jsonl").code == 3
    assert list(tmp_path.glob("*f.jsonl*")) == []


def test_an_incomplete_file_is_reported(cli: Cli, client: MemoryClient, tmp_path: Path) -> None:
    client.retain("source", facts=[{"text": "Ana plays the cello in Porto."}])
    file = tmp_path / "cut.jsonl"
    file.write_text("".join(cli("export", "source").out.splitlines(keepends=True)[:-1]))
    done = cli("import", "copy", file)
    assert done.code == 1
    assert "is incomplete" in done.err
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    assert cli("import", "third", empty).code == 1
