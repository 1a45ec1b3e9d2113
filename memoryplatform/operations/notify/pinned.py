"""A connection to the address that was checked, and for a limited time.

Resolving and connecting are one step here: between a check and a second look-up a name could change its address.
"""

import ssl
from collections.abc import Iterable
from time import monotonic

import httpcore2

from memoryplatform.operations.notify.address import resolve


class Deadline:
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._ends = monotonic() + seconds

    @property
    def is_over(self) -> bool:
        return monotonic() >= self._ends

    def left(self) -> float:
        """An ordinary timeout starts anew with every byte, and a patient stranger would hold a worker for ever."""
        seconds = self._ends - monotonic()
        if seconds <= 0:
            raise httpcore2.ReadTimeout("The whole answer took too long.")
        return seconds


class BoundStream(httpcore2.NetworkStream):
    def __init__(self, stream: httpcore2.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._deadline.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._deadline.left())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        inner = self._stream.start_tls(ssl_context, server_hostname, self._deadline.left())
        return BoundStream(inner, self._deadline)

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)


class PinnedBackend(httpcore2.NetworkBackend):
    """Host name and certificate stay those of the URL; only where the packets go is decided here."""

    def __init__(self, *, allow_private: bool, deadline: Deadline) -> None:
        self._allow_private = allow_private
        self._deadline = deadline
        self._network = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        first, *others = self._resolve(host, port)
        for address in (first, *others):
            try:
                stream = self._network.connect_tcp(address, port, self._deadline.left(), socket_options=socket_options)
            except httpcore2.ConnectError:
                if address == (others or [first])[-1]:
                    raise
            else:
                return BoundStream(stream, self._deadline)
        raise httpcore2.ConnectError("No address answered.")

    def _resolve(self, host: str, port: int) -> list[str]:
        try:
            return resolve(host, port, allow_private=self._allow_private, within=self._deadline.left())
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout("The name server took too long.") from error
