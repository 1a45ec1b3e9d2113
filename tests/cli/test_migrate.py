"""Migrating the data of other systems, and resuming an interrupted migration."""

import json
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest

from memoryplatform_client import MemoryClient, ServerError
from memoryplatform_client.cli import batches
from memoryplatform_client.cli.commands import migrate
from memoryplatform_client.cli.migration import mem0
from memoryplatform_client.cli.migration.journal import Journal
from memoryplatform_client.cli.migration.limits import find_faults
from memoryplatform_client.errors import Refusal
from tests.cli.conftest import Cli
from tests.sdk.conftest import Service

MEMORIES: list[dict[str, Any]] = [
    {
        "id": "m1",
        "memory": "Alice lives in Lisbon.",
        "user_id": "alice",
        "agent_id": "nora",
        "metadata": {"source": "chat", "rank": 3},
        "categories": ["places"],
        "created_at": "2024-05-01T10:00:00Z",
    },
    {"id": "m2", "memory": "Bob sails to Rome.", "user_id": "bob", "metadata": None, "created_at": None},
]


def write(path: Path, data: Any) -> Path:
    path.write_text(json.dumps(data))
    return path


def test_mem0_goes_where_its_own_client_finds_it(cli: Cli, client: MemoryClient, tmp_path: Path) -> None:
    done = cli("migrate", "mem0", write(tmp_path / "m.json", {"results": MEMORIES}), "--json")
    assert json.loads(done.out)["banks"] == ["mem0:user:alice", "mem0:user:bob"]
    (memory,) = client.memories.list("mem0:user:alice")
    assert memory.text == "Alice lives in Lisbon."
    assert sorted(memory.tags) == ["agent:nora", "category:places", "user:alice"]
    assert memory.metadata == {"source": "chat", "rank": "json:3"}
    assert memory.mentioned_at.isoformat() == "2024-05-01T10:00:00+00:00"


def test_mem0_routes_read_back_migrated_memories(cli: Cli, service: Service, tmp_path: Path) -> None:
    cli("migrate", "mem0", write(tmp_path / "m.json", MEMORIES))
    headers, wanted = {"Authorization": f"Token {service.key}"}, {"filters": {"user_id": "alice"}}
    (read,) = httpx.post(f"{service.url}/v3/memories/", headers=headers, json=wanted).json()["results"]
    for name in ("memory", "user_id", "agent_id", "metadata", "categories"):
        assert read[name] == MEMORIES[0][name]


def test_mem0_lines_go_into_the_given_bank(cli: Cli, client: MemoryClient, tmp_path: Path) -> None:
    file = tmp_path / "m.jsonl"
    file.write_text("\n".join(json.dumps(one) for one in MEMORIES))
    assert cli("migrate", "mem0", file, "--bank", "all").code == 0
    assert client.memories.list("all").first().total == 2


def test_a_broken_line_is_named_and_nothing_is_written(cli: Cli, client: MemoryClient, tmp_path: Path) -> None:
    file = tmp_path / "m.jsonl"
    file.write_text("\n".join(json.dumps(one) for one in MEMORIES) + '\n\n{"memory": "cut o')
    done = cli("migrate", "mem0", file, "--bank", "all")
    assert (done.code, "line 4 is not JSON" in done.err) == (1, True)
    assert "all" not in {bank.bank_id for bank in client.banks.list()}


def make_archive(path: Path) -> Path:
    facts = [
        {"text": "It rained in Porto.", "fact_type": "world", "occurred_start": "2024-03-01T00:00:00Z", "tags": ["a"]},
        {
            "text": "Ana stayed at home.",
            "fact_type": "experience",
            "entities": ["Ana"],
            "tags": ["a"],
            "causal_relations": [{"relation_type": "caused_by", "target_fact_index": 0}],
        },
        {"text": "Ana likes tea.", "fact_type": "world", "metadata": {"k": "v"}, "context": "tea time"},
    ]
    document = {
        "id": "notes/../may",
        "original_text": "It rained, so Ana stayed at home.",
        "tags": ["a"],
        "facts": facts,
    }
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("documents/000000.json", json.dumps(document))
        archive.writestr("observations.json", "[]")
        archive.writestr("manifest.json", json.dumps({"schema_version": 1, "source_bank_id": "theirs"}))
    return path


def test_an_archive_keeps_its_text_facts_and_causes(cli: Cli, client: MemoryClient, tmp_path: Path) -> None:
    assert cli("migrate", "hindsight", make_archive(tmp_path / "bank.zip")).code == 0
    assert client.documents.get("theirs", "notes/_/may").original_text == "It rained, so Ana stayed at home."
    found = {one.text: one for one in client.memories.list("theirs")}
    assert set(found) == {"It rained in Porto.", "Ana stayed at home.", "Ana likes tea."}
    assert found["Ana stayed at home."].type == "experience"
    assert (found["Ana likes tea."].metadata, found["Ana likes tea."].context) == ({"k": "v"}, "tea time")
    links = client.memories.get("theirs", found["Ana stayed at home."].id).links
    assert [(one.text, one.type) for one in links if one.type == "caused_by"] == [("It rained in Porto.", "caused_by")]


def test_an_archive_of_a_later_version_is_refused(cli: Cli, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bank.zip", "w") as archive:
        archive.writestr("manifest.json", '{"schema_version": 2, "source_bank_id": "theirs"}')
    assert cli("migrate", "hindsight", tmp_path / "bank.zip").code == 2


def talk(id_: str) -> dict[str, Any]:
    turns = [
        {"speaker": "Kim", "dia_id": "D1:1", "text": "I bought a boat."},
        {"speaker": "Lee", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a red kite"},
    ]
    conversation = {"speaker_a": "Kim", "session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": turns}
    return {
        "sample_id": id_,
        "conversation": {**conversation, "session_2": [], "session_2_date_time": "1:00 pm on 9 May, 2023"},
    }


def test_each_conversation_of_locomo_is_a_bank(cli: Cli, client: MemoryClient, tmp_path: Path) -> None:
    file = write(tmp_path / "locomo.json", [talk("c1"), talk("c2")])
    done = cli("migrate", "locomo", file, "--bank", "lc", "--only", "c2", "--json")
    assert json.loads(done.out) == {"banks": ["lc-c2"], "items": 1, "faults": 0, "dry_run": False}
    said = sorted(client.messages.list("lc-c2"), key=lambda one: one.timestamp)
    assert [(one.name, one.content) for one in said] == [
        ("Kim", "I bought a boat."),
        ("Lee", "Look! [shares a photo: a red kite]"),
    ]
    assert said[1].timestamp.isoformat() == "2023-05-08T13:56:30+00:00"


def test_a_haystack_of_longmemeval_is_a_bank(cli: Cli, client: MemoryClient, tmp_path: Path) -> None:
    turns = [
        {"role": "user", "content": "I study law."},
        {"role": "assistant", "content": "In Basel?"},
        {"role": "user", "content": " "},
    ]
    row = {
        "question_id": "q1",
        "haystack_session_ids": ["s1"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_sessions": [turns],
    }
    assert cli("migrate", "longmemeval", write(tmp_path / "l.json", [row]), "--bank", "lme").code == 0
    said = sorted(client.messages.list("lme"), key=lambda one: one.timestamp)
    assert [(one.role, one.thread) for one in said] == [("user", "0:s1"), ("assistant", "0:s1")]


def test_a_dry_run_sends_nothing(cli: Cli, client: MemoryClient, tmp_path: Path) -> None:
    done = cli("migrate", "mem0", write(tmp_path / "m.json", MEMORIES), "--dry-run")
    assert done.out.startswith("2 items would go to 2 banks")
    assert list(client.banks.list()) == []


@pytest.fixture
def three_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(batches, "MOST_ITEMS", 1)
    return write(
        tmp_path / "m.json", [{"id": str(n), "memory": f"Person{n} plays chess.", "user_id": "u"} for n in range(3)]
    )


def stop_after_the_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second request is performed, but the journal does not record it."""
    note = Journal.with_batch

    def stop(self: Journal, **counts: int) -> Journal:
        if self.done == 1:
            raise ServerError(Refusal(500, "internal_error", "Away.", "r"))
        return note(self, **counts)

    monkeypatch.setattr(Journal, "with_batch", stop)


def test_a_second_start_resumes_and_does_nothing_twice(
    cli: Cli, client: MemoryClient, three_calls: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        stop_after_the_second(patched)
        assert cli("migrate", "mem0", three_calls).code == 1
    done = cli("migrate", "mem0", three_calls)
    assert "Resuming after 1 of 3 requests." in done.err
    assert done.out.startswith("3 items are in 1 banks")
    retains = list(client.operations.list(bank_id="mem0:user:u", kind="retain"))
    assert len(retains) == 3


def test_a_finished_migration_can_be_done_again(
    cli: Cli, client: MemoryClient, worker: None, three_calls: Path
) -> None:
    cli("migrate", "mem0", three_calls)
    cli("banks", "delete", "mem0:user:u", "--yes")
    done = cli("migrate", "mem0", three_calls)
    assert "Going on" not in done.err
    assert client.memories.list("mem0:user:u").first().total == 3


def test_restart_begins_again(cli: Cli, three_calls: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        stop_after_the_second(patched)
        cli("migrate", "mem0", three_calls)
    assert "Going on" not in cli("migrate", "mem0", three_calls, "--restart").err


def test_refused_items_are_named(cli: Cli, tmp_path: Path) -> None:
    rows = [MEMORIES[0], {"id": "m9", "memory": " ", "user_id": "alice"}]
    done = cli("migrate", "mem0", write(tmp_path / "m.json", rows))
    assert done.code == 1
    assert done.err.startswith("m9: ")


HALF = "\ud83d"  # a lone surrogate

BAD: list[dict[str, Any]] = [
    {"id": "b1", "memory": "Ivy likes tea.", "user_id": "ivy", "created_at": "bad"},
    {"id": "b2", "memory": "Ivy likes tea.", "user_id": "ivy", "created_at": 5},
    {"id": "b3", "memory": "Ivy likes tea.", "user_id": "ivy", "created_at": "0001-01-01T00:00:00Z"},
    {"id": "b4", "memory": " ", "user_id": "ivy"},
    {"id": "b5", "memory": None, "user_id": "ivy"},
    {"id": "b6", "user_id": "ivy"},
    {"id": "b7", "memory": "x" * 100_001, "user_id": "ivy"},
    {"id": "b8", "memory": "Ivy likes tea.", "user_id": "ivy", "metadata": {"k": "v" * 501}},
    {"id": "b9", "memory": "Ivy likes tea.", "user_id": "ivy", "metadata": ["k"]},
    {"id": "b10", "memory": "Ivy likes tea.", "user_id": "ivy", "categories": ["c" * 200]},
    {"id": "b11", "memory": "Ivy likes tea.", "user_id": "ivy", "categories": "tea"},
    {"id": "b12", "memory": "Ivy likes tea."},
    {"id": "b13", "memory": f"Ivy likes tea. {HALF}", "user_id": "ivy"},
    {"id": "b14", "memory": "Ivy likes tea.", "user_id": f"ivy {HALF}"},
    {"id": "b15", "memory": "Ivy likes tea.", "user_id": "ivy", "metadata": {"k": HALF}},
]
NO_ROWS: list[Any] = [None, 5, "tea", []]  # the first is the memory after those of BAD


def test_a_faulty_memory_is_named_and_the_others_continue(cli: Cli, client: MemoryClient, tmp_path: Path) -> None:
    file = write(tmp_path / "m.json", [*BAD, *NO_ROWS, *MEMORIES])
    names = [*(one["id"] for one in BAD), *(f"Memory {len(BAD) + place}" for place, _ in enumerate(NO_ROWS, 1))]
    dry = cli("migrate", "mem0", file, "--dry-run")
    done = cli("migrate", "mem0", file)
    assert (dry.code, done.code) == (1, 1)
    assert [line.partition(": ")[0] for line in done.err.splitlines()] == names
    assert done.err == dry.err
    assert dry.out.startswith(f"2 items would go to 2 banks, {len(names)} faults")
    assert done.out.startswith(f"2 items are in 2 banks, {len(names)} faults")
    assert sorted(one.bank_id for one in client.banks.list()) == ["mem0:user:alice", "mem0:user:bob"]


def test_the_service_refuses_the_faults_of_a_dry_run(client: MemoryClient) -> None:
    """The dry run must not report faults that the service would accept."""
    items = [mem0.build_item(BAD[place], [("user", "ivy")], "m") for place in (2, 3, 6, 7, 9)]
    assert all(list(find_faults(one)) for one in items)
    told = client.retain_batch("b", [{"content": "Ivy sails."}, *items])
    assert [fault.index for fault in told.item_errors] == [1, 2, 3, 4, 5]


def test_a_file_with_nothing_but_faults_is_one_sentence(bare_cli: Cli, tmp_path: Path) -> None:
    done = bare_cli("migrate", "mem0", write(tmp_path / "m.json", BAD), "--dry-run")
    assert (done.code, done.err.count("\n"), "b1: 'bad' is no time." in done.err) == (1, 1, True)


def test_items_that_only_the_service_refuses_are_named_and_the_others_continue(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrate, "find_faults", lambda _item: ())
    rows = [{"id": "n1", "memory": " ", "user_id": "ann"}, *MEMORIES]
    done = cli("migrate", "mem0", write(tmp_path / "m.json", rows))
    assert (done.code, done.err.startswith("n1: ")) == (1, True)
    assert done.out.startswith("2 items are in 3 banks, 1 faults")


def test_a_faulty_fact_of_an_archive_is_named_and_the_others_continue(
    cli: Cli, client: MemoryClient, tmp_path: Path
) -> None:
    wrong: list[dict[str, Any]] = [{"entities": 5}, {"tags": [5]}, {"metadata": [5]}, {"context": 5}]
    wrong += [{"causal_relations": [5]}, {"occurred_start": "May"}, {"text": HALF}]
    facts = [{"text": "It rained."}, *({"text": "It snowed.", **one} for one in wrong), {"fact_type": "world"}, None]
    with zipfile.ZipFile(tmp_path / "bank.zip", "w") as archive:
        archive.writestr("documents/0.json", json.dumps({"id": "notes", "facts": facts}))
        archive.writestr("documents/1.json", json.dumps({"facts": []}))
        archive.writestr("documents/2.json", "{")
        archive.writestr("documents/3.json", json.dumps({"id": "3", "chunks": [{}]}))
        archive.writestr("manifest.json", json.dumps({"schema_version": 1, "source_bank_id": "theirs"}))
    done = cli("migrate", "hindsight", tmp_path / "bank.zip")
    named = [line.partition(": ")[0] for line in done.err.splitlines()]
    places = range(2, len(facts) + 1)
    assert named == [*(f"notes fact {place}" for place in places), *(f"documents/{place}.json" for place in (1, 2, 3))]
    assert done.out.startswith(f"1 items are in 1 banks, {len(named)} faults")
    assert [one.text for one in client.memories.list("theirs")] == ["It rained."]


def test_a_session_without_a_date_is_named_and_the_others_continue(cli: Cli, tmp_path: Path) -> None:
    conversation = talk("c1")["conversation"]
    said = [*conversation["session_1"], {"speaker": "Kim", "text": " "}]
    conversation |= {"session_2": said, "session_1_date_time": "?"}
    file = write(tmp_path / "locomo.json", {"sample_id": "c1", "conversation": conversation})
    for words in (["--dry-run"], []):
        done = cli("migrate", "locomo", file, "--bank", "lc", *words)
        assert (done.code, done.err.count("\n"), done.err.startswith("c1 session_1: ")) == (1, 1, True)
        assert "1 banks, 1 faults" in done.out


def test_a_faulty_conversation_is_named_and_the_others_continue(bare_cli: Cli, tmp_path: Path) -> None:
    good = talk("c1")
    good["conversation"] |= {"session_3": 5, "session_3_date_time": "1:00 pm on 9 May, 2023"}
    samples = [None, {"sample_id": "x"}, {"sample_id": "x", "conversation": 5}, good, talk("c/2"), talk(HALF)]
    done = bare_cli("migrate", "locomo", write(tmp_path / "l.json", samples), "--bank", "lc", "--dry-run")
    named = [line.partition(": ")[0] for line in done.err.splitlines()]
    assert named[:4] == ["Conversation 1", "Conversation 2", "Conversation 3", "c1 session_3"]
    assert done.out.startswith("1 items would go to 1 banks, 6 faults: lc-c1")


def test_a_faulty_haystack_is_named_and_the_others_continue(bare_cli: Cli, tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "I bought a boat."}]
    sessions = {"s1": turns, "s2": 5, "s3": [5], "s4": [{"role": "user", "content": HALF}]}
    row = {
        "question_id": "q",
        "haystack_session_ids": [*sessions],
        "haystack_dates": ["2023/05/20 (Sat) 02:21"] * len(sessions),
        "haystack_sessions": [*sessions.values()],
    }
    rows = [None, row | {"haystack_dates": []}, row | {"haystack_dates": 5}, row]
    done = bare_cli("migrate", "longmemeval", write(tmp_path / "l.json", rows), "--bank", "b", "--dry-run")
    named = [line.partition(": ")[0] for line in done.err.splitlines()]
    assert named == ["Question 1", "Question 2", "Question 3", "q s2", "q s3", "q s4"]
    assert done.out.startswith("1 items would go to 1 banks, 6 faults: b-q")


@pytest.mark.parametrize("name", sorted(migrate.READERS))
@pytest.mark.parametrize("content", [b"", b"nonsense", b"[1]", b'{"a": 1}', b"\xff\xfe"])
def test_a_file_of_another_kind_is_one_sentence(bare_cli: Cli, tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / "f").write_bytes(content)
    done = bare_cli("migrate", name, tmp_path / "f", "--bank", "b", "--dry-run")
    assert (done.code in {1, 2}, done.err.count("\n"), done.out) == (True, 1, "")
