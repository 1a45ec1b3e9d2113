"""Answers of a language model to the prompts of a scenario: recorded once, and replayed since.

An answer belongs to its prompt, without the random codes of its fences. Of a question to reflect only the question
counts: the moments at which facts expired are those of the clock. A prompt without a recorded answer fails.
`UPDATE_PROMPTS=1` gives the recorded answers to the new prompts in their order, where only the form of prompts changed.
`RECORD_FROM=http://127.0.0.1:5596/v1` asks a model for the missing answers.
"""

import json
import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import httpx

from providers import tokens
from tests.llm_server.script import Received, Reply

RANDOM = re.compile(r"(?<=[\w>] )[0-9a-f]{8}(?=>)|(?<=Episode )[0-9a-f]{6}|=====NOTES [0-9a-f]+=====")
DIVIDER = re.compile(r"=====NOTES [0-9a-f]+=====")
MARK = "=====NOTES====="
ANSWER = "answer"  # of reflect, which has no schema
LONGEST_WAIT = 900.0


@dataclass(frozen=True)
class Exchange:
    """`prompt` is the last message. The rules before it are golden files of their own."""

    kind: str
    prompt: str
    answer: str

    @property
    def key(self) -> str:
        return self.prompt[self.prompt.rfind("<question") :] if self.kind == ANSWER else self.prompt


class RecordedModel:
    def __init__(self, path: Path) -> None:
        self._path = path
        lines = path.read_text().splitlines() if path.exists() else []
        self._left = [Exchange(**json.loads(line)) for line in lines]
        self._updates = bool(os.environ.get("UPDATE_PROMPTS"))
        self._endpoint = os.environ.get("RECORD_FROM")
        self._lock = Lock()
        self.calls: list[Exchange] = []
        self.tokens = 0

    def respond(self, received: Received) -> Reply:
        messages = received.body["messages"]
        asked = messages[-1]["content"]
        kind, prompt = name_kind(received.body), RANDOM.sub("", asked)
        answer = self._find(kind, prompt)
        if answer is None and self._endpoint:
            answer = ask(self._endpoint, received.body)
        if answer is None:
            reason = f"A prompt has no recorded answer ({kind}):\n{prompt}"
            return Reply(status=400, payload={"error": {"message": reason, "code": "not_recorded"}})
        self.calls.append(Exchange(kind, prompt, answer))
        divider = DIVIDER.search(asked)
        text = answer.replace(MARK, divider[0]) if divider else answer
        self.tokens += sum(tokens.count(one["content"]) for one in messages) + tokens.count(text)
        return Reply(text=text)

    def close(self) -> None:
        """Keeps new answers, and the new prompts of known ones."""
        if self._updates or self._endpoint:
            kept = "".join(f"{json.dumps(asdict(one), ensure_ascii=False)}\n" for one in self.calls)
            self._path.write_text(kept)

    def _find(self, kind: str, prompt: str) -> str | None:
        with self._lock:
            for place, one in enumerate(self._left):
                is_same = self._updates or one.key == Exchange(kind, prompt, "").key
                if one.kind == kind and is_same:
                    return self._left.pop(place).answer
        return None


def name_kind(body: dict[str, Any]) -> str:
    schema = (body.get("response_format") or {}).get("json_schema") or {}
    return str(schema.get("name", ANSWER))


def ask(endpoint: str, body: dict[str, Any]) -> str:
    asked = {name: value for name, value in body.items() if name != "stream"}
    answer = httpx.post(f"{endpoint}/chat/completions", json=asked, timeout=LONGEST_WAIT)
    return DIVIDER.sub(MARK, str(answer.json()["choices"][0]["message"]["content"]))
