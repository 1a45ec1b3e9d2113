"""A bank goes out over the wire and comes in again; webhooks and the audit log by both clients."""

import httpx
import pytest

from memoryplatform_client import ConnectionFailed, Invalid, MemoryClient
from memoryplatform_client.lines import LARGEST_PART, cut_parts
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


def test_an_export_that_breaks_off_is_not_taken_for_whole() -> None:
    client = make_client(httpx.MockTransport(lambda _: httpx.Response(200, content=b'{"type":"header"}\n')))
    with pytest.raises(ConnectionFailed):
        list(client.transfer.export("b"))


def test_a_large_file_goes_in_parts_of_whole_lines() -> None:
    line = b"x" * (LARGEST_PART // 2 - 10)
    parts = list(cut_parts([line, line.decode() + "\n", line]))
    assert [(part.first_line, part.body.count(b"\n")) for part in parts] == [(1, 2), (3, 1)]
