"""The admin's name and its navigation."""

from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse, reverse_lazy

NAME = "Memory platform"
OPINIONS = "reflection.opinion"
QUEUES = {
    "needs_review": "Needs review",
    "contradicted": "Contradicted",
    "changed": "Much changed",
    "new": "New",
    "held": "All held",
    "retired": "Retired",
}


def may_view(label: str, request: HttpRequest) -> bool:
    app, model = label.split(".")
    return request.user.has_perm(f"{app}.view_{model}")


def build_item(title: str, icon: str, label: str) -> dict[str, Any]:
    """`label` is for example banks.bank. Users without the right to view it do not see the entry."""
    link = reverse_lazy(f"admin:{label.replace('.', '_')}_changelist")
    return {"title": title, "icon": icon, "link": link, "permission": partial(may_view, label)}


def build_group(title: str, *items: tuple[str, str, str]) -> dict[str, Any]:
    return {"title": title, "separator": True, "items": [build_item(*item) for item in items]}


def link_queue(name: str, _request: HttpRequest) -> str:
    return f"{reverse('admin:reflection_opinion_changelist')}?{urlencode({'queue': name})}"


def is_queue(name: str, request: HttpRequest) -> bool:
    return request.GET.get("queue", "needs_review") == name


def find_stylesheet(_request: HttpRequest) -> str:
    return static("review/review.css")


NAVIGATION = [
    build_group(
        "Review",
        ("Opinions", "psychology", OPINIONS),
        ("Opinion history", "timeline", "reflection.opinionrevision"),
        ("Backgrounds", "badge", "reflection.backgroundrevision"),
        ("Retention rules", "auto_delete", "reflection.retentionrule"),
        ("Directives", "gavel", "reflection.directive"),
        ("Mental models", "cognition", "reflection.mentalmodel"),
        ("Mental model history", "history", "reflection.mentalmodelrevision"),
        ("Quarantine", "coronavirus", "banks.quarantineditem"),
    ),
    build_group(
        "Memory",
        ("Banks", "database", "banks.bank"),
        ("Memories", "lightbulb", "banks.memoryunit"),
        ("Entities", "person_search", "banks.entity"),
        ("Relationships", "share", "banks.relationship"),
        ("Episodes", "menu_book", "banks.episode"),
        ("Messages", "chat", "banks.message"),
    ),
    build_group(
        "Operations",
        ("Operations", "bolt", "operations.operation"),
        ("Recalls", "manage_search", "retrieval.recallrecord"),
        ("Feedback", "thumbs_up_down", "retrieval.feedback"),
        ("Usage", "bar_chart", "tenants.usagerecord"),
        ("LLM requests", "forum", "operations.llmrequest"),
        ("Webhooks", "webhook", "tenants.webhook"),
        ("Webhook deliveries", "send", "tenants.delivery"),
        ("Audit log", "policy", "tenants.auditevent"),
    ),
    build_group(
        "Tenants",
        ("Tenants", "apartment", "tenants.tenant"),
        ("Plans", "sell", "tenants.plan"),
        ("Plans of tenants", "assignment_ind", "tenants.planassignment"),
        ("Members", "group", "tenants.member"),
        ("API keys", "key", "tenants.apikey"),
        ("Users", "person", "tenants.user"),
        ("Sessions", "devices", "usersessions.usersession"),
        ("Second factors", "password", "mfa.authenticator"),
        ("Linked accounts", "link", "socialaccount.socialaccount"),
        ("OAuth clients", "apps", "allauth_idp_oidc.client"),
        ("Erased tenants", "delete_forever", "tenants.tenanterasure"),
    ),
]


def build_unfold() -> dict[str, Any]:
    """The settings of django-unfold."""
    queues = [
        {"title": title, "link": partial(link_queue, name), "active": partial(is_queue, name)}
        for name, title in QUEUES.items()
    ]
    return {
        "SITE_TITLE": NAME,
        "SITE_HEADER": NAME,
        "SITE_SUBHEADER": "Every view is audited",
        "SITE_SYMBOL": "neurology",
        "SITE_URL": "/",
        "SHOW_HISTORY": False,
        "SHOW_VIEW_ON_SITE": False,
        "STYLES": [find_stylesheet],
        "DASHBOARD_CALLBACK": "memoryplatform.review.overview.show_waiting",
        "SIDEBAR": {"show_search": True, "navigation": NAVIGATION},
        "TABS": [{"models": [OPINIONS], "items": queues}],
    }
