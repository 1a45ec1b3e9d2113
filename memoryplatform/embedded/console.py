"""What `up` prints: its own lines, and those of its children behind their names."""

import os
import threading
from typing import TextIO

NAME_WIDTH = len("worker-background")


class Console:
    """Logs are held back until `stream_logs`, so that the lines of the start stay together."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._held: list[str] | None = []

    def say(self, text: str) -> None:
        with self._lock:
            self._write(text)

    def log(self, name: str, line: str) -> None:
        text = f"{name:<{NAME_WIDTH}} | {line}"
        with self._lock:
            if self._held is None:
                self._write(text)
            else:
                self._held.append(text)

    def stream_logs(self) -> None:
        with self._lock:
            for text in self._held or []:
                self._write(text)
            self._held = None

    def _write(self, text: str) -> None:
        try:
            self._stream.write(f"{text}\n")
            self._stream.flush()
        except OSError:
            # Whoever read it is gone (a closed terminal, `| head`). The service goes on, and its children must
            # not block on pipes that nobody empties.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)
