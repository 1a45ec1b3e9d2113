"""One signed request to a tenant's address.

No redirect is followed, no proxy is used, and of the answer only the status code is read. The connection goes to the
address that was checked: between a check and a second look-up a name could change its address.
"""

import base64
import binascii
import hashlib
import hmac
import ssl
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote, urlencode, urlsplit

import httpcore2

from memoryplatform.operations.notify.address import AddressRefused, check_url, resolve
from memoryplatform.operations.notify.shapes import Message
from providers.deadline import Deadline

AGENT = "memoryplatform-webhooks"
SUCCESS_CODES = range(200, 300)
READABLE_IN_A_URL = "!#$%&'()*+,/:;=?@[]~"
SECRET_PREFIX = "whsec_"  # noqa: S105  # of Standard Webhooks


@dataclass(frozen=True)
class Limits:
    """The deadline may cover several messages, one after the other. `seconds` is its length, for the error text."""

    deadline: Deadline
    seconds: float
    allow_private: bool


@dataclass(frozen=True)
class Answer:
    """`code` is None without an answer; `error` is empty after a success."""

    code: int | None
    error: str = ""


def send(url: str, message: Message, body: bytes, signature: dict[str, str], limits: Limits) -> Answer:
    headers = message.headers | {"Content-Type": "application/json", "User-Agent": AGENT} | signature
    try:
        check_url(url, allow_private=limits.allow_private)
        return request(message.method, add_query(url, message.query), headers, body, limits)
    except AddressRefused as error:
        return Answer(None, str(error))
    except httpcore2.TimeoutException:
        return Answer(None, f"No answer within {limits.seconds:g} seconds.")
    except (httpcore2.NetworkError, httpcore2.ProtocolError) as error:
        return Answer(None, f"The connection failed ({type(error).__name__}).")


def request(method: str, url: str, headers: dict[str, str], body: bytes, limits: Limits) -> Answer:
    """Leave the body of the answer unread and close the connection: the body may be endless."""
    backend = PinnedBackend(allow_private=limits.allow_private, deadline=limits.deadline)
    all_headers = [*{"Host": urlsplit(url).netloc, "Content-Length": str(len(body)), **headers}.items()]
    with (
        httpcore2.ConnectionPool(network_backend=backend) as pool,
        pool.stream(method, quote(url, safe=READABLE_IN_A_URL), headers=all_headers, content=body) as response,
    ):
        code = response.status
    return Answer(code, "" if code in SUCCESS_CODES else f"The answer was {code}.")


def add_query(url: str, query: dict[str, str]) -> str:
    if not query:
        return url
    bare, _, fragment = url.partition("#")
    joint = "&" if "?" in bare else "?"
    return f"{bare}{joint}{urlencode(query)}" + (f"#{fragment}" if fragment else "")


def sign(secret: str, *, message_id: str, at: datetime, body: bytes) -> dict[str, str]:
    """The signature headers of Standard Webhooks 1.0. The time is signed too, so that no delivery can be replayed."""
    seconds = str(int(at.timestamp()))
    signed = b".".join([message_id.encode(), seconds.encode(), body])
    digest = hmac.digest(read_secret(secret), signed, hashlib.sha256)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": seconds,
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }


def read_secret(secret: str) -> bytes:
    """The bytes behind the prefix. A caller's own secret is used as it is."""
    if secret.startswith(SECRET_PREFIX):
        try:
            return base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
        except binascii.Error:
            return secret.encode()
    return secret.encode()


class PinnedBackend(httpcore2.NetworkBackend):
    """Resolves, checks and connects in one step. Host name and certificate stay those of the URL."""

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
                seconds = require_time(self._deadline)
                stream = self._network.connect_tcp(address, port, seconds, socket_options=socket_options)
            except httpcore2.ConnectError:
                if address == (others or [first])[-1]:
                    raise
            else:
                return BoundStream(stream, self._deadline)
        raise httpcore2.ConnectError("No address answered.")

    def _resolve(self, host: str, port: int) -> list[str]:
        try:
            return resolve(host, port, allow_private=self._allow_private, within=require_time(self._deadline))
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout("The name server took too long.") from error


class BoundStream(httpcore2.NetworkStream):
    """A connection that ends at the deadline. An ordinary timeout starts again with every byte, so a slow receiver
    could hold a worker for ever.
    """

    def __init__(self, stream: httpcore2.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, require_time(self._deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, require_time(self._deadline))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        inner = self._stream.start_tls(ssl_context, server_hostname, require_time(self._deadline))
        return BoundStream(inner, self._deadline)

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)


def require_time(deadline: Deadline) -> float:
    """The seconds left, or ReadTimeout."""
    if deadline.is_over:
        raise httpcore2.ReadTimeout("The whole answer took too long.")
    return deadline.remaining()
