"""A request is served in one thread, with the same responses as Django's own handler."""

import pytest
from asgiref.sync import SyncToAsync
from django.core.asgi import get_asgi_application

from tests.server.test_cors import send

MAX_HOPS = 4  # the signals at the start and end, the request itself, the log line of a refusal


def test_a_request_changes_threads_only_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    hops = []
    whole = SyncToAsync.__call__

    async def count(self: SyncToAsync[..., object], *args: object, **kwargs: object) -> object:
        hops.append(self.func)
        return await whole(self, *args, **kwargs)

    monkeypatch.setattr(SyncToAsync, "__call__", count)
    assert send("GET", "/v1/banks").status_code == 401
    assert 0 < len(hops) <= MAX_HOPS


@pytest.mark.parametrize(
    "path", ["/v1/banks", "/v1/nowhere", "/v3/memories/", "/api/v1/orgs/", "/docs/api/", "/docs/", "/"]
)
def test_its_answers_are_those_of_djangos_handler(path: str) -> None:
    ours, theirs = send("GET", path), send("GET", path, get_asgi_application())
    assert (ours.status_code, set(ours.headers)) == (theirs.status_code, set(theirs.headers))
    assert set(ours.headers) >= {"x-request-id", "x-frame-options", "x-content-type-options"}


@pytest.mark.parametrize("path", ["/v1/banks", "/v1/nowhere"])
def test_the_api_sets_no_cookie(path: str) -> None:
    answer = send("GET", path)
    assert "set-cookie" not in answer.headers
    assert "Cookie" not in answer.headers.get("Vary", "")


def test_a_host_that_is_not_ours_is_refused() -> None:
    answer = send("GET", "/v1/banks", Host="elsewhere.example")
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_request")
    assert answer.json()["detail"].startswith("This host name is not served here: 'elsewhere.example'.")
