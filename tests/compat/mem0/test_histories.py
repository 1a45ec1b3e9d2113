"""Histories of OpenAI's protocol: tool calls, null contents, images. What is no text never refuses the whole call."""

from typing import Any

import pytest

from tests.compat.mem0.quiet_client import MemoryClient

BOB = {"user_id": "bob"}
CALL = {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Rome"}'}}
IMAGE = {"type": "image_url", "image_url": {"url": "https://example.com/cat.jpg"}}
EMBEDDED = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 1_000}}
HISTORY: list[dict[str, Any]] = [
    {"role": "developer", "content": "Be brief."},
    {"role": "user", "content": "What is the weather in Rome?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "Sunny, 24 degrees."},
    {"role": "assistant", "content": "It is sunny.", "refusal": None, "annotations": []},
    {"role": "user", "content": [{"type": "text", "text": "This is my cat Tom."}, IMAGE, EMBEDDED]},
    {"role": "user", "content": [IMAGE]},
    {"role": "assistant", "content": ""},
]


def list_texts(client: MemoryClient) -> set[str]:
    return {one["memory"] for one in client.get_all(filters=BOB)["results"]}


def test_a_history_with_tools_and_images_is_taken(client: MemoryClient) -> None:
    client.add(HISTORY, user_id="bob", async_mode=False)
    texts = list_texts(client)
    assert {text.partition(": ")[2] for text in texts} >= {"What is the weather in Rome?", "It is sunny."}
    (cat,) = [text for text in texts if "Tom" in text]
    assert cat.endswith("This is my cat Tom.\n[image: https://example.com/cat.jpg]\n[image]")
    assert not any("get_weather" in text or "Be brief" in text for text in texts)


def test_the_same_without_inference(client: MemoryClient) -> None:
    added = client.add(HISTORY, user_id="bob", infer=False)
    assert len(added["results"]) == 4
    assert "It is sunny." in list_texts(client)


@pytest.mark.parametrize("infer", [True, False])
@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "assistant", "content": None, "tool_calls": [CALL]}],
        [{"role": "assistant", "tool_calls": [CALL]}],
        [{"role": "user", "content": [IMAGE]}, {"role": "user", "content": " "}],
        [{"role": "user", "content": [{"type": "text", "text": 3}, None, 7]}],
    ],
)
def test_a_history_without_text_adds_nothing(client: MemoryClient, messages: list[Any], infer: bool) -> None:  # noqa: FBT001  # a case of the table
    answer = client.add(messages, user_id="bob", infer=infer)
    assert (answer["status"], answer["results"]) == ("SUCCEEDED", [])
    assert list_texts(client) == set()


def test_files_are_named_and_unknown_blocks_left_out(client: MemoryClient) -> None:
    blocks = [
        "A plain text.",
        {"type": "input_text", "text": "My report."},
        {"type": "file", "file": {"filename": "report.pdf", "file_data": "data:..."}},
        {"type": "pdf_url", "pdf_url": {"url": "https://example.com/a.pdf"}},
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
        {"type": "tool_use", "id": "t1", "name": "search", "input": {}},
    ]
    client.add([{"role": "user", "content": blocks}], user_id="bob", infer=False)
    names = "[file: report.pdf]\n[file: https://example.com/a.pdf]\n[audio]"
    assert list_texts(client) == {f"A plain text.\nMy report.\n{names}"}


def test_without_a_language_model_each_message_is_stored_once(client: MemoryClient) -> None:
    """Agents send the whole history again with each turn."""
    said = [
        {"role": "user", "content": "I'm Bob. I live in Lisbon and work at Google."},
        {"role": "assistant", "content": "How long have you lived in Lisbon?"},
        {"role": "user", "content": "Five years already, and my sister Ana is a nurse."},
    ]
    for length in (1, 2, 3, 3):
        client.add(said[:length], user_id="bob", async_mode=False)
        assert len(list_texts(client)) == length
        assert client.get_all(filters=BOB)["count"] == length
