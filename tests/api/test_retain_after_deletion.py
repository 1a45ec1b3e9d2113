"""Retaining the same source again after its memory was deleted."""

from typing import Any

import pytest

from tests.api.conftest import Caller

TEXT = "Ana Reis moved to Porto in May."
DOCUMENT = {"content": TEXT, "document_id": "notes"}
MESSAGES = {"messages": [{"role": "user", "content": TEXT}], "thread": "t1"}


def tell(call: Caller, item: dict[str, Any]) -> list[str]:
    assert call("POST", "/v1/banks/support/memories", {"items": [item]}).status_code == 200
    return [row["id"] for row in call("GET", "/v1/banks/support/memories").json()["items"]]


def delete_memory(call: Caller, item: dict[str, Any]) -> None:
    (memory_id,) = tell(call, item)
    assert call("DELETE", f"/v1/banks/support/memories/{memory_id}").status_code == 200


@pytest.mark.parametrize(("item", "count"), [(DOCUMENT, 0), (MESSAGES, 1)])
def test_only_messages_bring_it_back_unchanged(call: Caller, item: dict[str, Any], count: int) -> None:
    delete_memory(call, item)
    assert len(tell(call, item)) == count


def test_a_document_brings_it_back_once_it_was_deleted_or_reads_otherwise(call: Caller) -> None:
    delete_memory(call, DOCUMENT)
    assert len(tell(call, DOCUMENT | {"content": f"{TEXT} She likes it."})) == 1
    assert call("DELETE", "/v1/banks/support/documents/notes").status_code == 200
    assert len(tell(call, DOCUMENT)) == 1
