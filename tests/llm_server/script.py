import re
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, Literal

ECHO = re.compile(r"<<echo (.+?)>>")  # in an answer: the pattern's first match in the prompt
Cut = Literal["before", "body", "stream"]


@dataclass(frozen=True)
class Received:
    """A received request. The names of `headers` are lower case."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        return "\n".join(str(message.get("content") or "") for message in self.body.get("messages", []))


@dataclass(frozen=True)
class Reply:
    """`cut` drops the connection: before the answer, amid its body, or amid the deltas of its stream.

    `delay`: seconds before anything is sent. `trickle`: seconds between the pieces of the answer.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    text: str | None = None
    payload: Any = None
    raw: bytes | None = None
    finish_reason: str | None = "stop"
    counts_tokens: bool = True
    delay: float = 0.0
    trickle: float = 0.0
    cut: Cut | None = None


Respond = Callable[[Received], Reply | str]


def nothing_scripted(_: Received) -> Reply:
    """A refusal, so that the client does not retry."""
    return Reply(status=400, payload={"error": {"message": "The test scripted no answer.", "code": "nothing_scripted"}})


class Script:
    """The answers on one path: the queue first, then `otherwise`."""

    def __init__(self, otherwise: Respond) -> None:
        self.otherwise = otherwise
        self.received: list[Received] = []
        self._queue: deque[Reply] = deque()
        self._lock = Lock()

    def reply(self, reply: Reply, *, times: int = 1) -> None:
        with self._lock:
            self._queue.extend([reply] * times)

    def say(self, text: str, *, finish_reason: str | None = "stop", counts_tokens: bool = True) -> None:
        self.reply(Reply(text=text, finish_reason=finish_reason, counts_tokens=counts_tokens))

    def say_late(self, text: str, *, delay: float) -> None:
        self.reply(Reply(text=text, delay=delay))

    def say_slowly(self, text: str, *, trickle: float) -> None:
        self.reply(Reply(text=text, trickle=trickle))

    def send(self, payload: Any) -> None:
        """Queue any JSON in place of a chat completion or a list of embeddings."""
        self.reply(Reply(payload=payload))

    def send_raw(self, raw: bytes) -> None:
        """Queue any bytes. For a streaming request they are the whole event stream."""
        self.reply(Reply(raw=raw))

    def fail(
        self, status: int, *, message: str = "scripted", headers: Mapping[str, str] | None = None, times: int = 1
    ) -> None:
        payload = {"error": {"message": message, "type": "scripted", "code": f"scripted_{status}"}}
        self.reply(Reply(status=status, payload=payload, headers=headers or {}), times=times)

    def drop(self, cut: Cut, *, text: str = "This is never said to its end.") -> None:
        self.reply(Reply(text=text, cut=cut))

    def next_reply(self, received: Received) -> Reply:
        with self._lock:
            self.received.append(received)
            queued = self._queue.popleft() if self._queue else None
        reply = self.otherwise(received) if queued is None else queued
        answer = Reply(text=reply) if isinstance(reply, str) else reply
        return answer if answer.text is None else replace(answer, text=echo(answer.text, received.prompt))


def echo(text: str, prompt: str) -> str:
    """Insert the parts of the prompt that a model must repeat and a test can't know in advance."""
    return ECHO.sub(lambda asked: found[0] if (found := re.search(asked[1], prompt)) else asked[0], text)
