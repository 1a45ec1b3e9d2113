"""Asking a name server, for a limited time. The system's own call has no limit and can't be called off."""

import socket
from concurrent.futures import Future
from threading import Thread
from typing import Any

Found = list[tuple[Any, ...]]


def look_up(host: str, port: int, *, within: float) -> Found:
    """TimeoutError where no answer comes in time. The thread ends when the system's resolver gives up."""
    answer: Future[Found] = Future()
    Thread(target=ask, args=(answer, host, port), name="look-up", daemon=True).start()
    return answer.result(timeout=within)


def ask(answer: "Future[Found]", host: str, port: int) -> None:
    try:
        answer.set_result(list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))
    except Exception as error:  # noqa: BLE001  # whoever waits gets whatever it was
        answer.set_exception(error)
