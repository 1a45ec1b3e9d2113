"""Listing, showing, changing and forgetting memories."""

import json

import pytest

from memoryplatform_client import MemoryClient
from tests.cli.conftest import Cli


@pytest.fixture(autouse=True)
def known(client: MemoryClient) -> None:
    client.retain("support", facts=[{"text": "Alice lives in Lisbon."}, {"text": "Bob sails to Rome."}])
    client.retain("support", facts=[{"text": "Carla paints."}], tags=["art"])


def find_id(cli: Cli, words: str) -> str:
    return cli("memories", "list", "support", "--search", words).rows[0][0]


def list_texts(cli: Cli, *words: str) -> set[str]:
    return {row[-1] for row in cli("memories", "list", "support", "--type", "world", *words).rows}


def test_a_list_is_filtered(cli: Cli) -> None:
    assert list_texts(cli) == {"Alice lives in Lisbon.", "Bob sails to Rome.", "Carla paints."}
    assert list_texts(cli, "--tag", "art") == {"Carla paints."}
    assert list_texts(cli, "--search", "Rome") == {"Bob sails to Rome."}
    assert list_texts(cli, "--before", "2001-01-01T00:00") == set()
    assert len(cli("memories", "list", "support", "--limit", "1").rows) == 1
    assert {one["text"] for one in json.loads(cli("memories", "list", "support", "--tag", "art", "--json").out)} == {
        "Carla paints."
    }


def test_an_empty_list_says_so_and_a_missing_bank_is_an_error(cli: Cli) -> None:
    done = cli("memories", "list", "support", "--search", "Zanzibar")
    assert (done.code, done.out, done.err) == (0, "", "No memory matches.\n")
    assert cli("memories", "list", "nowhere").code == 3
    assert cli("memories", "show", "support", "01890000-0000-7000-8000-000000000000").code == 3
    assert cli("memories", "list", "support", "--tags-match", "any").code == 2


def test_a_memory_is_shown_edited_invalidated_and_restored(cli: Cli) -> None:
    memory = find_id(cli, "Rome")
    assert cli("memories", "edit", "support", memory).code == 2
    assert cli("memories", "edit", "support", memory, "--text", "Bob sails to Malta.").out == (
        "Edited: Bob sails to Malta.\n"
    )
    closed = cli("memories", "invalidate", "support", memory, "--explanation", "He sold the boat.")
    assert closed.out == "Invalidated: Bob sails to Malta.\n"
    assert "Bob sails to Malta." not in list_texts(cli)
    assert "Bob sails to Malta." in list_texts(cli, "--state", "superseded")
    assert cli("memories", "restore", "support", memory).out == "Restored: Bob sails to Malta.\n"
    shown = cli("memories", "show", "support", memory)
    assert "Bob sails to Malta." in shown.out.splitlines()[0]
    assert ["told", "once"] in shown.rows
    assert "Changes" in shown.out
    full = json.loads(cli("memories", "show", "support", memory, "--json").out)
    assert (full["state"], len(full["history"]["changes"])) == ("valid", 3)


def test_forgetting_needs_a_choice_and_a_confirmation(cli: Cli) -> None:
    memory = find_id(cli, "Rome")
    assert cli("forget", "support").code == 2
    assert cli("forget", "support", memory, "--all").code == 2
    assert cli("forget", "support", "--tag", "art", "--sources").code == 2
    assert cli("forget", "support", "--tag", "", "--yes").code == 2
    assert cli("forget", "support", memory).code == 2
    refused = cli("forget", "support", memory, stdin="no\n", is_terminal=True)
    assert (refused.code, "Bob sails to Rome." in refused.err) == (1, True)
    assert len(list_texts(cli)) == 3
    assert cli("forget", "support", memory, stdin="support\n", is_terminal=True).out == (
        "Deleted 1 memory of support.\n"
    )
    assert list_texts(cli) == {"Alice lives in Lisbon.", "Carla paints."}


def test_an_unknown_id_keeps_the_others(cli: Cli) -> None:
    memory = find_id(cli, "Rome")
    assert cli("forget", "support", memory, "01890000-0000-7000-8000-000000000000", "--yes").code == 3
    assert len(list_texts(cli)) == 3


def test_a_filter_forgets_only_what_matches(cli: Cli) -> None:
    preview = cli("forget", "support", "--tag", "art", "--dry-run")
    assert ([row[-1] for row in preview.rows], "1 memory would be deleted." in preview.err) == (
        ["Carla paints."],
        True,
    )
    done = json.loads(cli("forget", "support", "--tag", "art", "--yes", "--json").out)
    assert (done["bank_id"], done["deleted_count"]) == ("support", 1)
    assert list_texts(cli) == {"Alice lives in Lisbon.", "Bob sails to Rome."}
    assert cli("forget", "support", "--all", "--yes").code == 0
    assert list_texts(cli, "--state", "all") == set()


def test_a_large_deletion_is_waited_for(
    cli: Cli, client: MemoryClient, worker: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryplatform.operations.kinds.delete_memories.BATCH", 1)
    assert cli("forget", "support", "--type", "world", "--yes").out == "Deleted 3 memories of support.\n"
    assert list_texts(cli) == set()


def test_the_words_behind_a_memory_are_erased_with_it(cli: Cli, client: MemoryClient, worker: None) -> None:
    client.retain("support", messages=[{"role": "user", "name": "Dana", "content": "I keep bees in Bern."}])
    assert cli("forget", "support", find_id(cli, "bees"), "--sources", "--yes").code == 0
    assert [one for one in client.messages.list("support") if "bees" in one.content] == []
