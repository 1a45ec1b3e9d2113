"""Export and import of a bank; webhooks and the audit log."""

from collections.abc import Callable

import httpx
import pytest

from memoryplatform.operations.running.perform import perform
from memoryplatform_client import ConnectionFailed, Invalid, MemoryClient
from memoryplatform_client import lines as lines_of_a_file
from memoryplatform_client.lines import LARGEST_PART, cut_parts
from memoryplatform_client.resources import transfer
from tests.factories import make_key_with_text, make_tenant
from tests.sdk.conftest import Service
from tests.sdk.scripted import make_client


@pytest.fixture
def sync_client(service: Service) -> MemoryClient:
    return MemoryClient(service.url, service.key)


def test_a_bank_is_copied(sync_client: MemoryClient, worker: None) -> None:
    with sync_client as client:
        client.retain("source", facts=[{"text": "Ana plays the cello in Porto."}])
        lines = list(client.transfer.export("source"))
        imported = client.transfer.load("copy", lines)
        assert imported.next_line is None
        assert imported.rows["unit"] == 1
        done = client.operations.wait(imported.operation_id)
        assert done.result["rows"] == imported.rows
        (found,) = client.recall("copy", "Who plays the cello?").results
        assert found.text == "Ana plays the cello in Porto."
        with pytest.raises(Invalid, match="Line 1: "):
            client.transfer.import_part("third", b"nonsense")


def test_a_tenant_moves_to_another_installation_with_the_same_answers(service: Service) -> None:
    here, there = make_tenant(), make_tenant()
    source, copy = (MemoryClient(service.url, make_key_with_text(one, scopes=["admin"])[1]) for one in (here, there))
    asked = {"birds": "Where are the birds?", "music": "Who plays the cello?"}
    with source, copy:
        source.retain("birds", facts=[{"text": "Ana saw birds in Porto."}, {"text": "Birds sing."}])
        source.retain("music", facts=[{"text": "Ana plays the cello in Braga."}, {"text": "Bo sings."}])
        lines = list(source.transfer.export_account())
        assert [line[:15] for line in (lines[0], lines[-1])] == [b'{"type":"header', b'{"type":"end","']
        rest = list(source.transfer.export_account(first_bank="music"))
        assert sum(b'"memoryplatform-bank"' in line for line in rest) == 1
        cut = next(place for place, line in enumerate(lines) if place > 5 and line.startswith(b'{"type":"header"')) + 3
        copy.transfer.load_account(lines[:cut])  # the first bank, and the beginning of the second
        loaded = copy.transfer.load_account(lines)
        assert {bank: done.next_line for bank, done in loaded.items()} == {"birds": None, "music": None}
        for imported in loaded.values():
            perform(there.id, imported.operation_id)
        for bank, question in asked.items():
            found = [client.recall(bank, question, fill=True).results for client in (source, copy)]
            told, again = ([(one.text, one.relevance) for one in results] for results in found)
            assert told
            assert told == again


def test_an_interrupted_import_resumes(
    sync_client: MemoryClient, worker: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines_of_a_file, "LARGEST_PART", 2_000)
    with sync_client as client:
        facts = [{"text": f"Ana saw {number} birds in Porto."} for number in range(20)]
        client.retain("source", facts=facts)  # type: ignore[arg-type]  # plain tables
        lines = [b"", *client.transfer.export("source")]  # with a keep-alive line before the header
        half = client.transfer.load("copy", lines[: len(lines) // 2])
        assert half.next_line == len(lines) // 2 + 1
        sent: list[int] = []
        monkeypatch.setattr(transfer, "send_part", noted(sent))
        imported = client.transfer.load("copy", lines)
        assert sent[:2] == [1, half.next_line]
        assert (imported.next_line, imported.operation_id) == (None, half.operation_id)
        client.operations.wait(imported.operation_id)
        assert client.transfer.load("copy", lines).next_line is None
        assert len(list(client.memories.list("copy"))) == 20


def noted(sent: list[int]) -> Callable[..., object]:
    real = transfer.send_part

    def send(bank_id: str, lines: bytes, first_line: int, key: str | None) -> object:
        sent.append(first_line)
        return real(bank_id, lines, first_line, key)

    return send


def test_an_interrupted_export_is_not_taken_as_complete() -> None:
    client = make_client(httpx.MockTransport(lambda _: httpx.Response(200, content=b'{"type":"header"}\n')))
    with pytest.raises(ConnectionFailed):
        list(client.transfer.export("b"))


def test_a_large_file_is_sent_in_parts_of_whole_lines() -> None:
    line = b"x" * (LARGEST_PART // 2 - 10)
    parts = list(cut_parts(iter([line, line.decode() + "\n", line]), first=1))
    assert [(part.first_line, part.body.count(b"\n")) for part in parts] == [(1, 2), (3, 1)]
