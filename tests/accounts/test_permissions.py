"""Every page and every route, with every kind of caller. One that is missing from the tables fails the test."""

import re
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import URLPattern, reverse
from pytest_django.fixtures import Settings

from memoryplatform.api.compat.hindsight.hindsight_view import NotServedView
from memoryplatform.api.compat.mem0.mem0_view import Mem0NotServedView
from memoryplatform.api.v1.urls import ROUTES
from memoryplatform.api.views import TenantView
from memoryplatform.dashboard.urls import urlpatterns
from tenants.models import Tenant, User
from tests.accounts.conftest import join, sign_in
from tests.accounts.permission_table import BY_CALLER, BY_PAGE, BY_SCOPES, read_lines
from tests.api.test_isolation import routes
from tests.factories import make_bank, make_key_with_text
from tests.oauth.conftest import connect

ROLES = ("viewer", "member", "admin", "owner")
ALL = {"viewer", "member", "admin", "owner"}
MANAGERS = {"admin", "owner"}
WRITERS = {"member", "admin", "owner"}
# Route, method, roles that may. `None`: no membership is needed.
TABLE: list[tuple[str, str, set[str] | None]] = [
    ("dashboard", "GET", None),
    ("found_tenant", "GET", None),
    ("switch_tenant", "POST", None),
    ("invitation", "GET", None),
    ("missing_page", "GET", ALL),
    ("missing_bank_page", "GET", ALL),
    ("design", "GET", None),  # only while DEBUG is on
    ("palette", "GET", ALL),
    ("new_bank", "POST", WRITERS),
    ("first_key", "POST", MANAGERS),
    ("first_memory", "GET", ALL),
    ("current_work", "GET", ALL),
    ("dismiss_first_steps", "POST", ALL),
    ("operations", "GET", ALL),
    ("operation", "GET", ALL),
    ("cancel_operation", "POST", WRITERS),
    ("retry_operation", "POST", WRITERS),
    ("webhooks", "GET", MANAGERS),
    ("webhooks", "POST", MANAGERS),
    ("webhook", "GET", MANAGERS),
    ("webhook", "POST", MANAGERS),
    ("renew_webhook_secret", "POST", MANAGERS),
    ("switch_webhook", "POST", MANAGERS),
    ("ping_webhook", "POST", MANAGERS),
    ("delete_webhook", "POST", MANAGERS),
    ("replay_delivery", "POST", MANAGERS),
    ("members", "GET", ALL),
    ("invite", "POST", MANAGERS),
    ("change_role", "POST", MANAGERS),
    ("remove_member", "POST", ALL),  # to leave; the use-case checks the right to remove others
    ("revoke_invitation", "POST", MANAGERS),
    ("api_keys", "GET", MANAGERS),
    ("api_keys", "POST", MANAGERS),
    ("rotate_key", "POST", MANAGERS),
    ("revoke_key", "POST", MANAGERS),
    ("quarantine", "GET", WRITERS),
    ("release_quarantined", "POST", WRITERS),
    ("delete_quarantined", "POST", WRITERS),
    ("usage", "GET", ALL),
    ("plan", "GET", ALL),
    ("connected_apps", "GET", ALL),
    ("disconnect_app", "POST", ALL),  # their own; the use-case checks the right for those of others
    ("own_llm", "GET", MANAGERS),
    ("own_llm", "POST", MANAGERS),
    ("delete_own_llm", "POST", MANAGERS),
    ("change_llm_log", "POST", MANAGERS),
    ("llm_requests", "GET", MANAGERS),
    ("llm_request", "GET", MANAGERS),
    ("audit_log", "GET", MANAGERS),
    ("audit_csv", "GET", MANAGERS),
    ("recall_playground", "GET", ALL),
    ("reflect_playground", "GET", WRITERS),
    ("stream_reflection", "POST", WRITERS),
    ("chat", "GET", WRITERS),
    ("say", "POST", WRITERS),
    ("retained", "GET", WRITERS),
    ("tenant_settings", "GET", ALL),
    ("tenant_settings", "POST", MANAGERS),
    ("delete_tenant", "POST", {"owner"}),
    ("keep_tenant", "POST", {"owner"}),
    ("bank", "GET", ALL),
    ("disposition", "GET", ALL),
    ("change_disposition", "POST", WRITERS),
    ("change_background", "POST", WRITERS),
    ("bank_settings", "GET", ALL),
    ("change_bank", "POST", MANAGERS),
    ("change_extraction", "POST", MANAGERS),
    ("try_extraction", "POST", WRITERS),
    ("change_hold", "POST", MANAGERS),
    ("delete_bank", "POST", MANAGERS),
    ("create_rule", "POST", MANAGERS),
    ("switch_rule", "POST", MANAGERS),
    ("delete_rule", "POST", MANAGERS),
    ("memories", "GET", ALL),
    ("memory", "GET", ALL),
    ("edit_memory", "GET", WRITERS),
    ("edit_memory", "POST", WRITERS),
    ("supersede_memory", "GET", WRITERS),
    ("supersede_memory", "POST", WRITERS),
    ("close_memories", "GET", WRITERS),
    ("close_memories", "POST", WRITERS),
    ("erase_memories", "GET", WRITERS),
    ("erase_memories", "POST", WRITERS),
    ("restore_memory", "POST", WRITERS),
    ("conversations", "GET", ALL),
    ("conversation", "GET", ALL),
    ("documents", "GET", ALL),
    ("document", "GET", ALL),
    ("delete_document", "POST", WRITERS),
    ("extract_document", "POST", WRITERS),
    ("opinions", "GET", ALL),
    ("opinion", "GET", ALL),
    ("review_opinion", "POST", WRITERS),
    ("import", "GET", WRITERS),
    ("import", "POST", WRITERS),
    ("import_preview", "GET", WRITERS),
    ("begin_import", "POST", WRITERS),
    ("discard_import", "POST", WRITERS),
    ("import_progress", "GET", WRITERS),
    ("timeline", "GET", ALL),
    ("graph", "GET", ALL),
    ("graph_data", "GET", ALL),
    ("entities", "GET", ALL),
    ("entity", "GET", ALL),
    ("edit_entity", "POST", WRITERS),
    ("merge_entity", "GET", WRITERS),
    ("merge_entity", "POST", WRITERS),
    ("split_entity", "GET", WRITERS),
    ("split_entity", "POST", WRITERS),
    ("undo_entity", "POST", WRITERS),
]
CALLERS_WITH = {  # the scopes that a route needs: the callers that have them
    "read": {"key:read", "key:admin", "app"},
    "write": {"key:write", "key:admin", "app"},
    "read write": {"key:admin", "app"},
    "admin": {"key:admin"},
}
CALLERS = (*ROLES, "key:read", "key:write", "key:admin", "app", "stranger")
Ask = Callable[[str, str], int]


def address(route: str) -> str:
    pattern = next(one for one in urlpatterns if one.name == route)
    names = pattern.pattern.converters
    return reverse(route, kwargs={name: "x" if name == "token" else uuid4() for name in names})


def path_of(route: str) -> str:
    """An address of the route with ids of nothing. Only the bank `support` is there."""
    filled = re.sub(r"<uuid:\w+>", lambda _: str(uuid4()), route.replace("<str:bank_id>", "support"))
    filled = re.sub(r"<int:\w+>", "1", filled)
    filled = re.sub(r"\(\?P<key>\[-:\\w\]\+\)", "x", filled)
    filled = filled.replace("(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)", "x-y")
    return "/" + re.sub(r"<[^>]+>", "x", filled).replace("^", "").replace("$", "")


def list_api() -> Iterator[tuple[str, str]]:
    """(method, route) of every route of the API, ours once."""
    ours = {f"v1/default/{one.pattern}" for one in ROUTES}
    for route, callback in routes():
        view: Any = getattr(callback, "view_class", object)
        if issubclass(view, TenantView) and not issubclass(view, NotServedView | Mem0NotServedView):
            methods = [one.upper() for one in view.http_method_names if hasattr(view, one)]
            yield from ((one, route) for one in methods if one not in {"OPTIONS", "HEAD"} and route not in ours)


def list_other_pages() -> set[str]:
    """Addresses that are neither the API's nor the dashboard's nor the admin's."""
    known = {str(one.pattern) for one in urlpatterns}
    return {
        path_of(route)
        for route, callback in routes()
        if not issubclass(getattr(callback, "view_class", object), TenantView)
        and route not in known
        and not route.startswith("admin/")
    }


def build_api_table() -> dict[tuple[str, str], set[str]]:
    table = {line: CALLERS_WITH[scopes] for scopes, block in BY_SCOPES.items() for line in read_lines(block)}
    return table | {line: set(callers.split()) for callers, block in BY_CALLER.items() for line in read_lines(block)}


def test_every_page_is_in_the_table() -> None:
    names = {pattern.name for pattern in urlpatterns if isinstance(pattern, URLPattern)}
    assert names == {route for route, _, _ in TABLE}


def test_every_route_and_every_other_page_is_in_the_tables() -> None:
    assert set(list_api()) == set(build_api_table())
    listed = [path_of(route) for block in BY_PAGE.values() for _, route in read_lines(block)]
    assert list_other_pages() == {"/", *listed}
    assert len(listed) == len(set(listed))


@pytest.fixture
def ask_as(acme: Tenant, owner: User, settings: Settings) -> Callable[[str], Ask]:
    settings.RATE_LIMIT_PER_KEY = settings.RATE_LIMIT_PER_TENANT = 0
    make_bank(acme, bank_id="support")
    cache.clear()  # registrations of apps are limited by address

    def make(caller: str) -> Ask:
        client, headers = Client(raise_request_exception=False), {}
        if caller in ROLES:
            client = sign_in(owner if caller == "owner" else join(acme, f"{caller}@example.com", caller), acme)
        elif caller.startswith("key:"):
            headers = {"Authorization": f"Bearer {make_key_with_text(acme, scopes=[caller[4:]])[1]}"}
        elif caller == "app":
            headers = {"Authorization": f"Bearer {connect(sign_in(owner, acme), acme)[1]['access_token']}"}

        def ask(method: str, path: str) -> int:
            body = b"" if method == "GET" else b"{}"
            return client.generic(method, path, body, "application/json", headers=headers).status_code

        return ask

    return make


@pytest.mark.parametrize("caller", CALLERS)
def test_a_caller_reaches_its_routes_and_no_others(ask_as: Callable[[str], Ask], caller: str) -> None:
    """Refused is 401 or 403; an allowed caller gets past that, mostly to a 404 or 422."""
    ask, wrong = ask_as(caller), []
    for (method, route), allowed in build_api_table().items():
        status = ask(method, path_of(route))
        if (status not in {401, 403}) != (caller in allowed):
            wrong.append((method, route, status))
        if (method, route, status) == ("DELETE", "v1/account", 202):
            ask("DELETE", "/v1/account/deletion")  # a tenant that is going to be erased refuses the rest
    assert wrong == []


@pytest.mark.parametrize("caller", ["viewer", "owner", "stranger"])
def test_the_admin_is_for_staff(ask_as: Callable[[str], Ask], caller: str) -> None:
    ask = ask_as(caller)
    entries = {path_of(route) for route, _ in routes() if route.startswith("admin/")} - {"/admin/login/"}
    assert len(entries) > 50
    assert {path for path in entries if ask("GET", path) not in {302, 403}} == set()


def test_pages_of_a_person_lead_strangers_to_the_log_in(committed_db: None, redis_server: object) -> None:
    for _, route in read_lines(BY_PAGE["person"]):
        answer = Client().get(path_of(route))
        target = answer.get("Location", "")
        assert (answer.status_code, target.split("?")[0]) in {(302, "/accounts/login/"), (302, "/")}, (route, target)


def test_open_pages_ask_for_no_log_in(committed_db: None, redis_server: object, settings: Settings) -> None:
    for _, route in [*read_lines(BY_PAGE["open"]), *read_lines(BY_PAGE["guest"]), ("GET", "")]:
        answer = Client(raise_request_exception=False).get(path_of(route))
        assert answer.status_code != 403, route
        assert answer.status_code < 500 or route == "health/ready", route
        if route not in {line for _, line in read_lines(BY_PAGE["guest"])}:
            assert not answer.get("Location", "").startswith("/accounts/login/"), route


@pytest.mark.parametrize("role", ROLES)
def test_a_role_opens_its_pages_and_no_others(acme: Tenant, role: str) -> None:
    client = sign_in(join(acme, "mia@example.com", role), acme)
    for route, method, allowed in TABLE:
        if allowed is not None:
            status = client.generic(method, address(route)).status_code
            assert (status != 403) == (role in allowed), (route, method, status)


def test_every_form_needs_its_token(acme: Tenant, owner: User) -> None:
    """tests/oauth/test_server.py has the form of the consent: without its request it is a page that is opened."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner, backend="django.contrib.auth.backends.ModelBackend")
    pages = [address(route) for route, method, _ in TABLE if method == "POST"]
    pages += [path_of(route) for _, route in read_lines(BY_PAGE["person"]) if route != "oauth/authorize"]
    for page in [*pages, "/invitations/x/", "/dashboard/tenants/new/", "/accounts/login/", "/accounts/signup/"]:
        assert client.post(page).status_code == 403, page


@pytest.mark.parametrize(("route", "method"), [(route, method) for route, method, _ in TABLE if route != "invitation"])
def test_a_stranger_is_led_to_the_log_in(acme: Tenant, route: str, method: str) -> None:
    response = Client().generic(method, address(route))
    assert (response.status_code, response["Location"].split("?")[0]) == (302, "/accounts/login/")


@pytest.mark.parametrize("caller", ["key:admin", "app"])
def test_a_key_or_an_app_opens_no_page(ask_as: Callable[[str], Ask], caller: str) -> None:
    ask = ask_as(caller)
    for route, method, _ in TABLE:
        if route != "invitation":
            assert ask(method, address(route)) == 302, route
