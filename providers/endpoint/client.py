import logging
from collections.abc import Iterator
from time import monotonic

import httpx2
import openai

NO_KEY = "none"  # without one the openai package takes OPENAI_API_KEY and would send it to whatever endpoint this is


def build_client(*, base_url: str, api_key: str | None) -> openai.OpenAI:
    logging.getLogger("openai").setLevel(logging.WARNING)  # at DEBUG some of its releases log what is asked
    return openai.OpenAI(
        base_url=base_url,
        api_key=api_key or NO_KEY,
        max_retries=0,
        http_client=openai.DefaultHttpxClient(event_hooks={"request": [note_start], "response": [bound_body]}),
    )


class BoundedBody(httpx2.SyncByteStream):
    """A body that has to arrive by a moment in time.

    The client's read timeout starts anew with every byte, and there are endpoints that send blank lines for as long as
    the model takes.
    """

    def __init__(self, body: httpx2.SyncByteStream, ends: float) -> None:
        self._body = body
        self._ends = ends

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._body:
            if monotonic() > self._ends:
                raise httpx2.ReadTimeout("The whole answer took too long.")
            yield piece

    def close(self) -> None:
        self._body.close()


def note_start(request: httpx2.Request) -> None:
    request.extensions["started"] = monotonic()


def bound_body(response: httpx2.Response) -> None:
    extensions = response.request.extensions
    seconds = extensions.get("timeout", {}).get("read")
    if seconds is not None and isinstance(response.stream, httpx2.SyncByteStream):
        response.stream = BoundedBody(response.stream, extensions["started"] + seconds)
