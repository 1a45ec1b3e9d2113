"""Export and import of a bank; webhooks and the audit log."""

from collections.abc import Callable

import httpx
import pytest

from memoryplatform_client import ConnectionFailed, Invalid, MemoryClient
from memoryplatform_client import lines as lines_of_a_file
from memoryplatform_client.lines import LARGEST_PART, cut_parts
from memoryplatform_client.resources import transfer
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
