"""Responses in OpenAI's format."""

import hashlib
import json
import re
from typing import Any

from tests.llm_server.script import Received, Reply

DIMENSION = 8


def count_words(text: str) -> int:
    return len(text.split())


def build_usage(received: Received, text: str) -> dict[str, int]:
    asked, said = count_words(received.prompt), count_words(text)
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}


def build_completion(received: Received, reply: Reply) -> dict[str, Any]:
    text = reply.text or ""
    message = {"role": "assistant", "content": text}
    completion: dict[str, Any] = {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 0,
        "model": received.body.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish_reason}],
    }
    if reply.counts_tokens:
        completion["usage"] = build_usage(received, text)
    return completion


def build_events(received: Received, reply: Reply) -> list[bytes]:
    """One event per word, then the finish reason, the usage if requested, and the end mark."""
    text = reply.text or ""
    chunks = [build_chunk(received, {"content": word}) for word in re.findall(r"\S+\s*", text)]
    if reply.finish_reason is not None:
        chunks.append(build_chunk(received, {}, finish_reason=reply.finish_reason))
    if reply.counts_tokens and received.body.get("stream_options", {}).get("include_usage"):
        chunks.append({**build_chunk(received, {}), "choices": [], "usage": build_usage(received, text)})
    return [*(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks), b"data: [DONE]\n\n"]


def build_chunk(received: Received, delta: dict[str, str], *, finish_reason: str | None = None) -> dict[str, Any]:
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": received.body.get("model"),
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
    }


def embed(received: Received) -> Reply:
    """A vector for every text: deterministic, not of length 1, and in reverse order."""
    texts = received.body["input"]
    data = [
        {"object": "embedding", "index": index, "embedding": build_vector(text)} for index, text in enumerate(texts)
    ]
    usage = {"prompt_tokens": sum(count_words(text) for text in texts), "total_tokens": 0}
    return Reply(payload={"object": "list", "data": data[::-1], "model": received.body["model"], "usage": usage})


def build_vector(text: str) -> list[float]:
    return [byte / 16 + 1 for byte in hashlib.sha256(text.encode()).digest()[:DIMENSION]]
