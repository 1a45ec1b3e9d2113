"""Large JSON responses are compressed for clients that accept gzip; streams are not."""

import gzip
import json
from collections.abc import Iterator

import httpx
import pytest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import RequestFactory

from memoryplatform.api.compression import LEAST_BYTES, WholeGZipMiddleware
from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.factories import make_bank, make_key_with_text

LARGE = json.dumps({"text": "Alice paints. " * 200}).encode()


def answer(response: HttpResponse | StreamingHttpResponse, accepted: str = "gzip, deflate, br") -> HttpResponse:
    request: HttpRequest = RequestFactory().get("/v1/banks", headers={"Accept-Encoding": accepted})
    sent = WholeGZipMiddleware(lambda _request: response)(request)
    assert isinstance(sent, HttpResponse | StreamingHttpResponse)
    return sent  # type: ignore[return-value]  # of a stream only the headers are checked


def test_a_list_of_banks_is_compressed_and_reads_the_same(call: Caller, alice: Tenant) -> None:
    for number in range(10):
        make_bank(alice, bank_id=f"bank-{number}")
    plain = call("GET", "/v1/banks")
    packed = call("GET", "/v1/banks", Accept_Encoding="gzip")
    assert packed.headers["Content-Encoding"] == "gzip"
    assert len(packed.content) < len(plain.content) / 2
    assert gzip.decompress(packed.content) == plain.content
    assert "Accept-Encoding" in plain.headers["Vary"]


def test_a_compressed_body_is_refused(acme: Tenant, base_url: str) -> None:
    headers = {"Authorization": f"Bearer {make_key_with_text(acme)[1]}", "Content-Type": "application/json"}
    for path in ("/v1/banks", "/v1/default/banks/b/memories", "/v3/memories/search/", "/mcp/"):
        packed = headers | {"Content-Encoding": "gzip"}
        refused = httpx.post(f"{base_url}{path}", content=gzip.compress(b"{}"), headers=packed, timeout=30)
        assert refused.status_code == 415, path
        assert refused.json()["detail"].startswith("Compressed bodies are not accepted")
        plain = headers | {"Content-Encoding": "identity"}
        assert httpx.post(f"{base_url}{path}", content=b"{}", headers=plain, timeout=30).status_code != 415, path


def test_a_short_response_is_not_compressed() -> None:
    assert "Content-Encoding" not in answer(HttpResponse(b"1" * (LEAST_BYTES - 1), "application/json")).headers


def test_pages_are_compressed_and_files_are_not() -> None:
    assert answer(HttpResponse(LARGE, "text/html; charset=utf-8"))["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in answer(HttpResponse(LARGE, "text/csv")).headers


def test_a_stream_is_not_compressed() -> None:
    def events() -> Iterator[bytes]:
        yield LARGE

    assert "Content-Encoding" not in answer(StreamingHttpResponse(events(), content_type="application/json")).headers


def test_compressed_responses_vary_in_length() -> None:
    lengths = {len(answer(HttpResponse(LARGE, "application/json")).content) for _ in range(40)}
    assert len(lengths) > 5


def test_the_etag_of_a_compressed_answer_is_weak() -> None:
    sent = answer(HttpResponse(LARGE, "application/json", headers={"ETag": '"7"'}))
    assert sent.headers["ETag"] == 'W/"7"'


@pytest.mark.parametrize(
    ("accepted", "expected"), [("gzip", True), ("br, gzip;q=0.5", True), ("", False), ("br", False)]
)
def test_only_a_client_that_accepts_gzip_gets_it(accepted: str, *, expected: bool) -> None:
    assert ("Content-Encoding" in answer(HttpResponse(LARGE, "application/json"), accepted).headers) is expected
