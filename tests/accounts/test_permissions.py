"""Every role and every page of a tenant in one table. A new page that is missing here fails the test."""

from uuid import uuid4

import pytest
from django.test import Client
from django.urls import URLPattern, reverse

from memoryplatform.dashboard.urls import urlpatterns
from tenants.models import Tenant
from tests.accounts.conftest import join, sign_in

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
    ("audit_log", "GET", MANAGERS),
    ("audit_csv", "GET", MANAGERS),
    ("tenant_settings", "GET", ALL),
    ("tenant_settings", "POST", MANAGERS),
    ("delete_tenant", "POST", {"owner"}),
    ("keep_tenant", "POST", {"owner"}),
]


def address(route: str) -> str:
    pattern = next(one for one in urlpatterns if one.name == route)
    names = pattern.pattern.converters
    return reverse(route, kwargs={name: "x" if name == "token" else uuid4() for name in names})


def test_every_page_is_in_the_table() -> None:
    names = {pattern.name for pattern in urlpatterns if isinstance(pattern, URLPattern)}
    assert names == {route for route, _, _ in TABLE}


@pytest.mark.parametrize("role", ROLES)
def test_a_role_opens_its_pages_and_no_others(acme: Tenant, role: str) -> None:
    client = sign_in(join(acme, "mia@example.com", role), acme)
    for route, method, allowed in TABLE:
        if allowed is not None:
            status = client.generic(method, address(route)).status_code
            assert (status != 403) == (role in allowed), (route, method, status)


@pytest.mark.parametrize(("route", "method"), [(route, method) for route, method, _ in TABLE if route != "invitation"])
def test_a_stranger_is_led_to_the_log_in(acme: Tenant, route: str, method: str) -> None:
    response = Client().generic(method, address(route))
    assert (response.status_code, response["Location"].split("?")[0]) == (302, "/accounts/login/")
