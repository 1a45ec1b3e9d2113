"""A request of the API is served in one thread, with the answers that Django's own handler would give."""

import pytest
from asgiref.sync import SyncToAsync
from django.conf import settings

from memoryplatform.asgi import django_application
from tests.api.edges.test_cors import send

MOST_HOPS = 4  # the signals of its beginning and its end, the request itself, the log line of a refusal


def test_a_request_changes_threads_only_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    hops = []
    whole = SyncToAsync.__call__

    async def count(self: SyncToAsync[..., object], *args: object, **kwargs: object) -> object:
        hops.append(self.func)
        return await whole(self, *args, **kwargs)

    monkeypatch.setattr(SyncToAsync, "__call__", count)
    assert send("GET", "/v1/banks").status_code == 401
    assert 0 < len(hops) <= MOST_HOPS


@pytest.mark.parametrize("path", ["/v1/banks", "/v1/nowhere", "/v3/memories/", "/api/v1/orgs/", "/v1/docs"])
def test_its_answers_are_those_of_the_whole_chain(path: str) -> None:
    ours, whole = send("GET", path), send("GET", path, django_application)
    cookies = {"set-cookie", "vary"}
    assert (ours.status_code, set(ours.headers) - cookies) == (whole.status_code, set(whole.headers) - cookies)
    assert set(ours.headers) >= {"x-request-id", "x-frame-options", "x-content-type-options"}


def test_a_host_that_is_not_ours_is_refused() -> None:
    answer = send("GET", "/v1/banks", Host="elsewhere.example")
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_request")
    assert answer.json()["detail"].startswith("This host name is not served here: 'elsewhere.example'.")


def test_what_the_api_leaves_out_is_for_pages() -> None:
    left_out = {name.rsplit(".", 1)[1] for name in set(settings.MIDDLEWARE) - set(settings.API_MIDDLEWARE)}
    assert left_out == {
        "ServeStaticMiddleware",
        "ProbeMiddleware",
        "SessionMiddleware",
        "CsrfViewMiddleware",
        "AuthenticationMiddleware",
        "MessageMiddleware",
        "AccountMiddleware",
    }
