"""Values for the frame around every page: the tenants of the person and the entries of the navigation."""

from typing import Any

from django.http import HttpRequest

from memoryplatform.dashboard.access import find_membership
from memoryplatform.operations.account.access import RIGHTS, Right
from tenants.memberships import list_memberships
from tenants.models import Member

NAVIGATION = (  # name of the route, title, icon, right
    ("api_keys", "API keys", "key-round", Right.MANAGE),
    ("connected_apps", "Connected apps", "plug", Right.VIEW),
    ("quarantine", "Quarantine", "shield-check", Right.WRITE),
    ("members", "Members", "users", Right.VIEW),
    ("usage", "Usage", "chart-column", Right.VIEW),
    ("plan", "Plan", "layers", Right.VIEW),
    ("own_llm", "Language model", "brain", Right.MANAGE),
    ("audit_log", "Audit log", "scroll-text", Right.MANAGE),
    ("tenant_settings", "Settings", "settings", Right.VIEW),
)
ACCOUNT = (
    ("account_email", "E-mail", "mail"),
    ("account_change_password", "Password", "key-round"),
    ("mfa_index", "Two-factor", "fingerprint"),
    ("usersessions_list", "Sessions", "monitor-smartphone"),
    ("socialaccount_connections", "Connected accounts", "user"),
)


def frame(request: HttpRequest) -> dict[str, Any]:
    if not getattr(request, "user", None) or not request.user.is_authenticated:
        return {}
    membership = getattr(request, "membership", None) or find_membership(request.user.id, request.session)
    rights = RIGHTS[Member.Role(membership.role)] if membership else set()
    return {
        "membership": membership,
        "memberships": list_memberships(request.user.id),
        "navigation": [entry for entry in NAVIGATION if entry[3] in rights],
        "account_navigation": ACCOUNT,
        "can_manage": Right.MANAGE in rights,
        "can_own": Right.OWN in rights,
        "current_route": request.resolver_match.url_name if request.resolver_match else "",
    }
