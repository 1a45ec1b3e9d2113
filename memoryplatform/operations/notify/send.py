"""One request to a stranger: no redirect is followed, no proxy asked, and of the answer only the code is wanted."""

from dataclasses import dataclass
from urllib.parse import quote, urlencode, urlsplit

import httpcore2

from memoryplatform.operations.notify.address import AddressRefused, check_url
from memoryplatform.operations.notify.pinned import Deadline, PinnedBackend
from memoryplatform.operations.notify.shapes import Message

AGENT = "memoryplatform-webhooks"
FINE = range(200, 300)
READABLE_IN_A_URL = "!#$%&'()*+,/:;=?@[]~"


@dataclass(frozen=True)
class Limits:
    """The deadline may be that of several messages, one after the other."""

    deadline: Deadline
    allow_private: bool


@dataclass(frozen=True)
class Answer:
    """`code` is None where there was no answer; `error` is empty where all is well."""

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
        return Answer(None, f"No answer within {limits.deadline.seconds:g} seconds.")
    except (httpcore2.NetworkError, httpcore2.ProtocolError) as error:
        return Answer(None, f"The connection failed ({type(error).__name__}).")


def request(method: str, url: str, headers: dict[str, str], body: bytes, limits: Limits) -> Answer:
    """The body of the answer is left unread and the connection closed: it may be endless."""
    backend = PinnedBackend(allow_private=limits.allow_private, deadline=limits.deadline)
    asked = [*{"Host": urlsplit(url).netloc, "Content-Length": str(len(body)), **headers}.items()]
    with (
        httpcore2.ConnectionPool(network_backend=backend) as pool,
        pool.stream(method, quote(url, safe=READABLE_IN_A_URL), headers=asked, content=body) as response,
    ):
        code = response.status
    return Answer(code, "" if code in FINE else f"The answer was {code}.")


def add_query(url: str, query: dict[str, str]) -> str:
    if not query:
        return url
    bare, _, fragment = url.partition("#")
    joint = "&" if "?" in bare else "?"
    return f"{bare}{joint}{urlencode(query)}" + (f"#{fragment}" if fragment else "")
