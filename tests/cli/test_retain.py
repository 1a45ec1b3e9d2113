"""Retaining texts, files and folders by the command line."""

import json
import os
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from memoryplatform_client import MemoryClient
from memoryplatform_client.calls import Call
from memoryplatform_client.cli import batches, session, settling
from memoryplatform_client.models.retain import Retained
from memoryplatform_client.resources import verbs
from tests.cli.conftest import Cli
from tests.sdk.scripted import make_client


def test_a_text_is_retained_and_recalled(cli: Cli) -> None:
    done = cli("retain", "support", "Alice lives in Lisbon.", "--tag", "people")
    assert (done.code, done.out) == (0, "1 text retained in support, 1 new memory.\n")
    found = cli("recall", "support", "Where does Alice live?")
    assert found.rows[0][0] == "1"
    assert found.rows[0][-1] == "Alice lives in Lisbon."


def test_an_option_may_stand_before_the_text(cli: Cli, client: MemoryClient) -> None:
    done = cli("retain", "support", "--tag", "sea", "The ferry leaves at nine.")
    assert (done.code, done.out) == (0, "1 text retained in support, 1 new memory.\n")
    wrong = cli("retain", "support", "--tag", "sea", "The ferry leaves.", "At nine.")
    assert wrong.code == 2
    assert "unrecognized arguments: " in wrong.err


def test_a_dry_run_shows_the_facts_and_stores_nothing(cli: Cli, client: MemoryClient, tmp_path: Path) -> None:
    done = cli("retain", "support", "Alice lives in Lisbon.", "--dry-run")
    assert done.code == 0
    assert done.rows[0][0] == "add"
    assert done.rows[0][-1] == "Alice lives in Lisbon."
    tried = json.loads(cli("retain", "support", "Alice lives in Lisbon.", "--dry-run", "--json").out)
    assert [fact["text"] for fact in tried["items"][0]["facts"]] == ["Alice lives in Lisbon."]
    assert list(client.banks.list()) == []
    (tmp_path / "a.md").write_text("A.")
    (tmp_path / "b.md").write_text("B.")
    assert cli("retain", "support", "--folder", str(tmp_path), "--dry-run").code == 2


def test_json_names_memories_and_operations(cli: Cli, client: MemoryClient) -> None:
    done = json.loads(cli("retain", "support", "Bob sails to Rome.", "--json", "--tag", "sea").out)
    memory = client.memories.get("support", done["memory_ids"][0])
    assert memory.tags == ["sea"]
    assert client.operations.get(done["operation_ids"][0]).status == "completed"


def test_standard_input_is_read(cli: Cli, client: MemoryClient) -> None:
    cli("retain", "support", "--document", "notes.md", stdin="Carla paints in Zürich.")
    assert client.documents.get("support", "notes.md").original_text == "Carla paints in Zürich."


def test_standard_input_that_is_a_terminal_is_not_waited_for(cli: Cli) -> None:
    done = cli("retain", "support", is_terminal=True)
    assert done.code == 2
    assert "standard input" in done.err


def test_labels_and_time_go_along(cli: Cli, client: MemoryClient) -> None:
    words = ("--context", "small talk", "--timestamp", "2023-05-08T13:56:00+00:00", "--document", "d", "--no-infer")
    done = json.loads(cli("retain", "support", "Dana rides a horse.", *words, "--json").out)
    document = client.documents.get("support", "d")
    assert (document.context, document.timestamp.isoformat()) == ("small talk", "2023-05-08T13:56:00+00:00")
    assert done["memory_ids"] == []


def test_a_text_with_a_thread_was_said_in_that_conversation(cli: Cli, client: MemoryClient) -> None:
    assert cli("retain", "support", "Dana rides a horse.", "--thread", "t1").code == 0
    assert [one.content for one in client.messages.list("support", thread="t1")] == ["Dana rides a horse."]


def make_folder(folder: Path) -> None:
    (folder / "sub").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "may.md").write_text("Eve plays chess.")
    (folder / "sub" / "june.txt").write_text("Frank plays the cello.")
    (folder / ".git" / "config").write_text("Hidden.")
    (folder / "photo.png").write_bytes(b"\x89PNG\0\0")
    (folder / "link.md").symlink_to("/etc/hostname")


def test_every_text_file_of_a_folder_is_a_document(
    cli: Cli, client: MemoryClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "MOST_ITEMS", 1)
    make_folder(tmp_path / "notes")
    done = cli("retain", "support", "--folder", tmp_path / "notes", "--json")
    assert {one.id for one in client.documents.list("support")} == {"may.md", "sub/june.txt"}
    assert json.loads(done.out)["refused"] == [{"name": "photo.png", "reason": "It is no UTF-8 text."}]
    assert len(json.loads(done.out)["operation_ids"]) == 2
    assert done.code == 1


def test_patterns_choose_files_of_a_folder(cli: Cli, client: MemoryClient, tmp_path: Path) -> None:
    make_folder(tmp_path / "notes")
    assert cli("retain", "support", "--folder", tmp_path / "notes", "--include", "*.txt").code == 0
    assert [one.id for one in client.documents.list("support")] == ["sub/june.txt"]


def test_a_refused_file_does_not_keep_the_others_out(cli: Cli, client: MemoryClient, tmp_path: Path) -> None:
    (tmp_path / "good.md").write_text("Gina sings.")
    (tmp_path / "bad ").write_text("Its name ends in a space.")
    done = cli("retain", "support", "--file", tmp_path / "bad ", "--file", tmp_path / "good.md")
    assert done.code == 1
    assert "bad  was not retained: document_id" in done.err
    assert [one.id for one in client.documents.list("support")] == ["good.md"]


@pytest.fixture
def done_later(worker: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The service returns a running operation, as for a long text."""
    send = verbs.retain_items

    def send_without_waiting(*args: Any, **kwargs: Any) -> Call[Retained]:
        return send(*args, **{**kwargs, "wait": False})

    monkeypatch.setattr(settling, "retain_items", send_without_waiting)


def test_the_command_waits_for_a_running_operation(cli: Cli, done_later: None) -> None:
    done = json.loads(cli("retain", "support", "Henry collects stamps.", "--json").out)
    assert len(done["memory_ids"]) == 1


def test_a_terminal_sees_how_far_it_is(cli: Cli, done_later: None, on_terminal: None) -> None:
    done = cli("retain", "support", "Jo bakes bread.")
    assert "Retaining in support" in done.err
    assert "Operation " in done.err
    assert (done.code, "Retaining" in done.out) == (0, False)


def test_a_passage_without_facts_is_reported(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = {
        "success": True,
        "bank_id": "support",
        "items_count": 1,
        "item_errors": [],
        "operation_id": str(UUID(int=1)),
        "status": "completed",
        "unit_ids": [],
        "errors": ["The model refused."],
        "notes": [],
        "usage": None,
        "async": False,
    }
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json=answer))
    monkeypatch.setattr(session, "MemoryClient", lambda *_: make_client(transport))
    done = cli("retain", "support", "Kim rows.")
    assert (done.code, done.err) == (1, "No facts could be extracted from a passage: The model refused.\n")


def test_with_no_wait_the_command_does_not_wait(cli: Cli, client: MemoryClient) -> None:
    done = json.loads(cli("retain", "support", "Ivy knits.", "--no-wait", "--json").out)
    assert client.operations.get(done["operation_ids"][0]).status == "pending"


def test_with_no_wait_the_command_names_its_operations(
    cli: Cli, client: MemoryClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "MOST_ITEMS", 1)
    make_folder(tmp_path / "notes")
    words = ("--folder", tmp_path / "notes", "--include", "*.md", "--include", "*.txt", "--no-wait")
    said = cli("retain", "support", *words).out
    operations = ", ".join(str(one.operation_id) for one in reversed(list(client.operations.list())))
    assert said == f"2 texts accepted for support, processed by operations {operations}.\n"


@pytest.mark.parametrize(
    "words",
    [
        ("A text.", "--file", "x"),
        ("--folder", "nowhere"),
        ("--file", "a", "--file", "b", "--document", "d"),
        ("A text.", "--timestamp", "soon"),
        ("A text.", "--thread", "t", "--document", "d"),
        ("--file", "a", "--thread", "t"),
    ],
)
def test_contradictory_arguments_are_refused_before_anything_is_sent(bare_cli: Cli, words: tuple[str, ...]) -> None:
    assert bare_cli("retain", "support", *words).code == 2


@pytest.mark.parametrize("option", ["--thread", "--document", "--file", "--folder"])
def test_an_empty_option_is_not_ignored(bare_cli: Cli, option: str) -> None:
    for value in ("", " "):
        done = bare_cli("retain", "support", "A text.", option, value)
        assert (done.code, f"{option}: it is empty" in done.err) == (2, True)


def test_a_missing_file_is_one_sentence(bare_cli: Cli) -> None:
    done = bare_cli("retain", "support", "--file", "/nowhere.txt")
    assert (done.code, done.err) == (1, "/nowhere.txt: No such file or directory\n")


def test_two_files_of_one_name_are_refused_and_both_are_named(bare_cli: Cli, tmp_path: Path) -> None:
    paths = [tmp_path / folder / "notes.md" for folder in ("may", "june")]
    done = bare_cli("retain", "support", *(word for path in paths for word in ("--file", path)))
    assert done.code == 2
    assert all(str(path) in done.err for path in paths)


@pytest.mark.parametrize(
    ("words", "said"),
    [((), "notes:"), (("--include", "*.md", "--include", "*.rst"), "notes that matches *.md or *.rst:")],
)
def test_a_folder_that_has_nothing_to_retain_is_a_failure(
    bare_cli: Cli, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / ".hidden.md").write_text("Gina sings.")
    done = bare_cli("retain", "support", "--folder", tmp_path / "notes", *words)
    assert (done.code, done.out) == (1, "")
    assert said in done.err


def test_a_file_whose_name_is_no_text_does_not_keep_the_others_out(
    cli: Cli, client: MemoryClient, tmp_path: Path
) -> None:
    (tmp_path / "good.md").write_text("Gina sings.")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.md")).write_text("Its name is Latin-1.")
    done = cli("retain", "support", "--folder", tmp_path, "--include", "*.md", "--json")
    assert done.code == 1
    assert json.loads(done.out)["refused"] == [{"name": "caf\ufffd.md", "reason": "Its name is no UTF-8 text."}]
    assert [one.id for one in client.documents.list("support")] == ["good.md"]


def test_half_a_character_is_one_sentence(cli: Cli) -> None:
    done = cli("retain", "support", "caf\udce9")
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "lone surrogate" in done.err
