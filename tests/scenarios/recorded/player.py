"""Answers of a language model to the prompts of a scenario, in their order: recorded once, and replayed since.

The prompts are kept without the lines of their fences, which are random. A prompt that differs from the recorded one
fails: the answer was written for other numbers. `UPDATE_PROMPTS=1` gives the recorded answers to the new prompts, where
only their form changed. `RECORD_FROM=http://127.0.0.1:5596/v1` asks a model again for the missing answers.
"""

import json
import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import httpx

from providers import tokens
from tests.llm_server.script import Received, Reply

RANDOM = re.compile(r"(?<=[\w>] )[0-9a-f]{8}(?=>)|(?<=Episode )[0-9a-f]{6}|=====NOTES [0-9a-f]+=====")
DIVIDER = re.compile(r"=====NOTES [0-9a-f]+=====")
MARK = "=====NOTES====="
LONGEST_WAIT = 900.0


@dataclass(frozen=True)
class Exchange:
    """`prompt` is the last message. The rules before it are golden files of their own."""

    kind: str
    prompt: str
    answer: str


class RecordedModel:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._recorded = (
            [Exchange(**json.loads(line)) for line in path.read_text().splitlines()] if path.exists() else []
        )
        self._updates = bool(os.environ.get("UPDATE_PROMPTS"))
        self._endpoint = os.environ.get("RECORD_FROM")
        self.calls: list[Exchange] = []
        self.tokens = 0

    def respond(self, received: Received) -> Reply:
        messages = received.body["messages"]
        prompt = RANDOM.sub("", messages[-1]["content"])
        place = len(self.calls)
        if place < len(self._recorded):
            recorded = self._recorded[place]
            if not self._updates and recorded.prompt != prompt:
                return self._refuse(f"Prompt {place + 1} ({recorded.kind}) differs from the recorded one:\n{prompt}")
            answer = recorded.answer
        elif self._endpoint:
            answer = ask(self._endpoint, received.body)
        else:
            return self._refuse(f"Prompt {place + 1} has no recorded answer:\n{prompt}")
        self.calls.append(Exchange(name_kind(received.body), prompt, answer))
        divider = DIVIDER.search(messages[-1]["content"])
        text = answer.replace(MARK, divider[0]) if divider else answer
        self.tokens += sum(tokens.count(one["content"]) for one in messages) + tokens.count(text)
        self.tokens += tokens.count(json.dumps(received.body.get("response_format") or ""))
        return Reply(text=text)

    def close(self) -> None:
        """Keeps new answers, and the new prompts of known ones."""
        if self._updates or len(self.calls) > len(self._recorded):
            kept = [*self.calls, *self._recorded[len(self.calls) :]]
            self._path.write_text("".join(f"{json.dumps(asdict(one), ensure_ascii=False)}\n" for one in kept))

    def _refuse(self, reason: str) -> Reply:
        return Reply(status=400, payload={"error": {"message": reason, "code": "not_recorded"}})


def name_kind(body: dict[str, Any]) -> str:
    schema = (body.get("response_format") or {}).get("json_schema") or {}
    return str(schema.get("name", "answer"))


def ask(endpoint: str, body: dict[str, Any]) -> str:
    asked = {name: value for name, value in body.items() if name != "stream"}
    answer = httpx.post(f"{endpoint}/chat/completions", json=asked, timeout=LONGEST_WAIT)
    return DIVIDER.sub(MARK, str(answer.json()["choices"][0]["message"]["content"]))
