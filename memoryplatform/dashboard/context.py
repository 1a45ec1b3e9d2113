"""Values for the frame around every page: the tenants of the person and the entries of the navigation."""

from collections.abc import Collection, Iterable
from typing import Any

from django.http import HttpRequest

from memoryplatform.dashboard.access import LAST_BANK, choose_membership
from memoryplatform.operations.account.access import RIGHTS, Right
from tenants.memberships import list_memberships
from tenants.models import Member

Entry = tuple[str, str, str, Right]
BANK_NAVIGATION: tuple[Entry, ...] = (  # name of the route, title, icon, right
    ("bank", "Summary", "gauge", Right.VIEW),
    ("memories", "Memories", "database", Right.VIEW),
    ("conversations", "Conversations", "messages-square", Right.VIEW),
    ("documents", "Documents", "file-text", Right.VIEW),
    ("timeline", "Timeline", "chart-gantt", Right.VIEW),
    ("graph", "Graph", "waypoints", Right.VIEW),
    ("entities", "Entities", "shapes", Right.VIEW),
    ("opinions", "Opinions", "scale", Right.VIEW),
    ("recall_playground", "Recall", "search", Right.VIEW),
    ("reflect_playground", "Reflect", "sparkles", Right.WRITE),
    ("chat", "Chat", "message-circle", Right.WRITE),
    ("import", "Import", "upload", Right.WRITE),
    ("bank_settings", "Bank settings", "sliders-horizontal", Right.VIEW),
)
NAVIGATION: tuple[Entry, ...] = (
    ("dashboard", "Overview", "layout-dashboard", Right.VIEW),
    ("operations", "Operations", "activity", Right.VIEW),
    ("usage", "Usage", "chart-column", Right.VIEW),
    ("api_keys", "API keys", "key-round", Right.MANAGE),
    ("webhooks", "Webhooks", "webhook", Right.MANAGE),
    ("quarantine", "Quarantine", "shield-alert", Right.WRITE),
    ("members", "Members", "users", Right.VIEW),
    ("connected_apps", "Connected apps", "plug", Right.VIEW),
    ("own_llm", "Language models", "brain", Right.MANAGE),
    ("plan", "Plan", "layers", Right.VIEW),
    ("audit_log", "Audit log", "scroll-text", Right.MANAGE),
    ("tenant_settings", "Settings", "settings", Right.VIEW),
)
PARENTS = {
    "memory": "memories",
    "edit_memory": "memories",
    "supersede_memory": "memories",
    "close_memories": "memories",
    "erase_memories": "memories",
    "conversation": "conversations",
    "missing_bank_page": "bank",
    "document": "documents",
    "entity": "entities",
    "opinion": "opinions",
    "review_opinion": "opinions",
    "import_preview": "import",
    "import_progress": "import",
    "merge_entity": "entities",
    "split_entity": "entities",
    "edit_entity": "entities",
    "operation": "operations",
    "llm_requests": "own_llm",
    "llm_request": "own_llm",
    "webhook": "webhooks",
    "renew_webhook_secret": "webhooks",
    "new_bank": "dashboard",
    "first_key": "dashboard",
}
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
    memberships = getattr(request, "memberships", None) or list_memberships(request.user.id)
    membership = getattr(request, "membership", None) or choose_membership(memberships, request.session)
    bank = getattr(request, "bank", None)
    last = request.session.get(LAST_BANK)
    is_own = last is not None and membership is not None and last["tenant_id"] == str(membership.tenant_id)
    menu_bank = bank or (last if is_own else None)
    rights = RIGHTS[Member.Role(membership.role)] if membership else set()
    route = request.resolver_match.url_name or "" if request.resolver_match else ""
    return {
        "membership": membership,
        "memberships": memberships,
        "navigation": choose(NAVIGATION, rights),
        "bank": bank,
        "menu_bank": menu_bank,
        "bank_navigation": choose(BANK_NAVIGATION, rights) if menu_bank else [],
        "account_navigation": ACCOUNT,
        "can_manage": Right.MANAGE in rights,
        "can_own": Right.OWN in rights,
        "can_write": Right.WRITE in rights,
        "current_route": PARENTS.get(route, route),
    }


def choose(entries: Iterable[Entry], rights: Collection[Right]) -> list[Entry]:
    """The entries that the person may open."""
    return [entry for entry in entries if entry[3] in rights]
