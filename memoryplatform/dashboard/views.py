"""Pages of a tenant: keys, members, invitations, usage, plan, audit log, settings."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, cast
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from banks.errors import LegalHold
from memoryplatform.accounts.adapter import INVITATION
from memoryplatform.dashboard.access import TENANT, TenantRequest, tenant_page
from memoryplatform.dashboard.forms import (
    ApiKeyForm,
    AuditForm,
    InvitationForm,
    OwnLLMForm,
    RoleForm,
    RotationForm,
    TenantForm,
    UsageForm,
)
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.account import api_keys as keys
from memoryplatform.operations.account import connected_apps as apps
from memoryplatform.operations.account import invitations as invited
from memoryplatform.operations.account import members as people
from memoryplatform.operations.account import own_llm as llms
from memoryplatform.operations.account.access import RANKS, Right
from memoryplatform.operations.account.deletion import cancel_deletion, preview_deletion, request_deletion
from memoryplatform.operations.account.errors import AccountError, AccountInvalid, InvitationForOther, InvitationInvalid
from memoryplatform.operations.account.tenants import found, rename
from memoryplatform.operations.account.usage import UsageRequest, report_plan, report_usage
from memoryplatform.operations.audit_log import find_events, write_csv
from tenants.memberships import list_memberships
from tenants.models import Member, User
from tenants.transactions import QuotaExceeded, tenant_transaction
from tenants.usage import UsageSum

PAGE_SIZE = 50


@login_required
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """A person with an open invitation goes to it, one without a tenant founds one."""
    if token := request.session.get(INVITATION):
        return redirect("invitation", token=token)
    return redirect("members" if list_memberships(cast("User", request.user).id) else "found_tenant")


@login_required
@require_http_methods(["GET", "POST"])
def found_tenant(request: HttpRequest) -> HttpResponse:
    form = TenantForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        tenant = found(cast("User", request.user), name=form.cleaned_data["name"])
        request.session[TENANT] = str(tenant.id)
        messages.success(request, f"{tenant.name} is ready.")
        return redirect("members")
    return render(request, "dashboard/found_tenant.html", {"form": form})


@login_required
@require_POST
def switch_tenant(request: HttpRequest) -> HttpResponse:
    """Only to a tenant of the person: any other id is a 404."""
    chosen = request.POST.get("tenant", "")
    if chosen not in {str(one.tenant_id) for one in list_memberships(cast("User", request.user).id)}:
        raise Http404
    request.session[TENANT] = chosen
    return redirect("members")


@tenant_page(Right.VIEW)
@require_GET
def members(request: TenantRequest) -> HttpResponse:
    manages = request.access.allows(Right.MANAGE)
    context = {
        "members": people.list_members(request.access),
        "invitations": invited.list_invitations(request.access) if manages else [],
        "form": InvitationForm(),
        "roles": [role for role in Member.Role if RANKS[role] <= RANKS[request.access.role]],
    }
    return render(request, "dashboard/members.html", context)


@tenant_page(Right.MANAGE)
@require_POST
def invite(request: TenantRequest) -> HttpResponse:
    form = InvitationForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Give a valid e-mail address and a role.")
        return redirect("members")

    def act() -> str:
        sent = invited.invite(request.access, form.cleaned_data["email"], Member.Role(form.cleaned_data["role"]))
        return f"An invitation is on its way to {sent.email}."

    return perform(request, act, "members")


@tenant_page(Right.MANAGE)
@require_POST
def revoke_invitation(request: TenantRequest, invitation_id: UUID) -> HttpResponse:
    def act() -> str:
        invited.revoke_invitation(request.access, invitation_id)
        return "The invitation is withdrawn."

    return perform(request, act, "members")


@tenant_page(Right.MANAGE)
@require_POST
def change_role(request: TenantRequest, user_id: UUID) -> HttpResponse:
    form = RoleForm(request.POST)

    def act() -> str:
        if not form.is_valid():
            raise AccountInvalid({"role": "There is no such role."})
        member = people.change_role(request.access, user_id, Member.Role(form.cleaned_data["role"]))
        return f"{member.user.email} is now {member.role}."

    return perform(request, act, "members")


@tenant_page(Right.VIEW)
@require_POST
def remove_member(request: TenantRequest, user_id: UUID) -> HttpResponse:
    """A member of any role may leave; the use-case checks the right to remove others."""
    is_own_act = user_id == request.access.actor.user_id

    def act() -> str:
        people.remove_member(request.access, user_id)
        return f"You left {request.membership.name}." if is_own_act else "The member is removed."

    return perform(request, act, "dashboard" if is_own_act else "members")


@never_cache
@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """The link of the e-mail. A person who is not signed in comes back here after sign-up or log-in."""
    try:
        found_one = invited.find_invitation(token)
    except InvitationInvalid as error:
        request.session.pop(INVITATION, None)
        return render(request, "dashboard/invitation.html", {"error": str(error)}, status=404)
    if not request.user.is_authenticated:
        request.session[INVITATION] = token
        return render(request, "dashboard/invitation.html", {"invitation": found_one})
    if request.method == "GET":
        return render(request, "dashboard/invitation.html", {"invitation": found_one})
    try:
        accepted = invited.accept_invitation(request.user, token, request_id=getattr(request, "request_id", ""))
    except (InvitationForOther, InvitationInvalid) as error:
        return render(request, "dashboard/invitation.html", {"invitation": found_one, "error": str(error)}, status=409)
    request.session.pop(INVITATION, None)
    request.session[TENANT] = str(accepted.tenant_id)
    messages.success(request, f"Welcome to {accepted.tenant_name}.")
    return redirect("members")


@never_cache
@tenant_page(Right.MANAGE)
@require_http_methods(["GET", "POST"])
def api_keys(request: TenantRequest) -> HttpResponse:
    form = ApiKeyForm(request.POST or None)
    new = None
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        days = int(given["lifetime"]) if given["lifetime"] else None
        expires_at = timezone.now() + timedelta(days=days) if days else None
        try:
            wanted = keys.KeyRequest(given["name"], tuple(given["scopes"]), given["banks"], expires_at)
            new, form = keys.create_key(request.access, wanted), ApiKeyForm()
        except AccountInvalid as error:
            for field, fault in error.faults.items():
                form.add_error(field if field in form.fields else None, fault)
    return show_keys(request, form, new)


@never_cache
@tenant_page(Right.MANAGE)
@require_POST
def rotate_key(request: TenantRequest, key_id: UUID) -> HttpResponse:
    form = RotationForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose when the old key ends.")
        return redirect("api_keys")
    try:
        new = keys.rotate_key(request.access, key_id, overlap=timedelta(days=int(form.cleaned_data["overlap"])))
    except AccountError as error:
        messages.error(request, str(error))
        return redirect("api_keys")
    return show_keys(request, ApiKeyForm(), new)


@tenant_page(Right.MANAGE)
@require_POST
def revoke_key(request: TenantRequest, key_id: UUID) -> HttpResponse:
    def act() -> str:
        return f"The key {keys.revoke_key(request.access, key_id).name} no longer works."

    return perform(request, act, "api_keys")


def show_keys(request: TenantRequest, form: ApiKeyForm, new: keys.NewKey | None) -> HttpResponse:
    """`new` is shown once: neither a reload nor the browser's history has it."""
    context = {
        "keys": keys.list_keys(request.access),
        "form": form,
        "rotation": RotationForm(),
        "new": new,
        "now": timezone.now(),
    }
    return render(request, "dashboard/api_keys.html", context, status=422 if form.errors else 200)


@tenant_page(Right.VIEW)
@require_GET
def usage(request: TenantRequest) -> HttpResponse:
    """Faults of the form show the usual days with a message."""
    form = UsageForm(request.GET)
    given = form.cleaned_data if form.is_valid() else {}
    asked = UsageRequest.build(given.get("since"), given.get("until"), (given.get("by") or "day").split())
    try:
        report = report_usage(request.access, asked)
    except AccountInvalid as error:
        form.add_error(None, str(error))
        asked = UsageRequest.build()
        report = report_usage(request.access, asked)
    daily = report_usage(request.access, UsageRequest.build(asked.since, asked.until)).rows
    query = urlencode({"since": asked.since, "until": asked.until, "group_by": asked.group_by}, doseq=True)
    context = {
        "form": form,
        "report": report,
        "headings": [dict(UsageForm.GROUPS)[name] for name in asked.group_by],
        "newest_first": reversed(report.rows) if "day" in asked.group_by else report.rows,
        "columns": build_columns(asked, daily),
        "csv": f"/v1/account/usage?{query}&format=csv",
    }
    return render(request, "dashboard/usage.html", context, status=422 if form.errors else 200)


def build_columns(asked: UsageRequest, daily: Sequence[UsageSum]) -> list[dict[str, Any]]:
    """A column of the chart for each day, in per cent of the busiest day."""
    requests = {row.group[0]: row.requests for row in daily}
    most = max(requests.values(), default=0) or 1
    columns = []
    for place in range((asked.until - asked.since).days + 1):
        day = str(asked.since + timedelta(days=place))
        height = requests.get(day, 0) * 100 / most
        columns.append({"day": day, "place": place, "requests": requests.get(day, 0), "height": height})
        columns[-1]["top"] = 100 - height
    return columns


@tenant_page(Right.VIEW)
@require_GET
def plan(request: TenantRequest) -> HttpResponse:
    return render(request, "dashboard/plan.html", {"plan": report_plan(request.access)})


@tenant_page(Right.VIEW)
@require_GET
def connected_apps(request: TenantRequest) -> HttpResponse:
    context = {"apps": apps.list_apps(request.access), "mcp_url": request.build_absolute_uri("/mcp")}
    return render(request, "dashboard/connected_apps.html", context)


@tenant_page(Right.VIEW)
@require_POST
def disconnect_app(request: TenantRequest, app_id: UUID) -> HttpResponse:
    """A member of any role may disconnect an app of their own; the use-case checks the right for those of others."""

    def act() -> str:
        apps.disconnect_app(request.access, app_id)
        return "The app is disconnected."

    return perform(request, act, "connected_apps")


@never_cache
@tenant_page(Right.MANAGE)
@require_http_methods(["GET", "POST"])
def own_llm(request: TenantRequest) -> HttpResponse:
    stored = llms.find_own_llm(request.access)
    form = OwnLLMForm(
        request.POST or None, initial={"base_url": stored.base_url, "model": stored.model} if stored else None
    )
    if request.method == "POST" and form.is_valid():
        base_url, model = form.cleaned_data["base_url"].rstrip("/"), form.cleaned_data["model"].strip()
        keeps_key = stored is not None and stored.base_url == base_url and not form.cleaned_data["api_key"]
        api_key = None if keeps_key else form.cleaned_data["api_key"]
        try:
            llms.save_own_llm(request.access, llms.LLMChoice(base_url, model, api_key))
        except AccountInvalid as error:
            for field, fault in error.faults.items():
                form.add_error(field, fault)
        except AccountError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"{model} answered and serves {request.membership.name} from now on.")
            return redirect("own_llm")
    status = 422 if form.errors else 200
    return render(request, "dashboard/own_llm.html", {"llm": stored, "form": form}, status=status)


@tenant_page(Right.MANAGE)
@require_POST
def delete_own_llm(request: TenantRequest) -> HttpResponse:
    def act() -> str:
        llms.delete_own_llm(request.access)
        return "Your language model is removed, and its key is erased."

    return perform(request, act, "own_llm")


@tenant_page(Right.MANAGE)
@require_GET
def audit_log(request: TenantRequest) -> HttpResponse:
    form = AuditForm(request.GET)
    query = request.GET.copy()
    query.pop("page", None)
    with tenant_transaction(request.access.tenant_id):
        rows = find_events(BankAccess(request.access.tenant_id), form.wanted()).order_by("-id")
        page = Paginator(rows, PAGE_SIZE).get_page(request.GET.get("page"))
        context = {"page": page, "form": form, "query": query.urlencode()}
        return render(request, "dashboard/audit_log.html", context)


@tenant_page(Right.MANAGE)
@require_GET
def audit_csv(request: TenantRequest) -> HttpResponse:
    lines = write_csv(BankAccess(request.access.tenant_id), AuditForm(request.GET).wanted())
    headers = {"Content-Disposition": 'attachment; filename="audit-log.csv"'}
    return HttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)


@tenant_page(Right.VIEW)
@require_http_methods(["GET", "POST"])
def tenant_settings(request: TenantRequest) -> HttpResponse:
    form = TenantForm(request.POST or None, initial={"name": request.membership.name})
    if request.method == "POST":
        request.access.require(Right.MANAGE)
        if form.is_valid():
            rename(request.access, form.cleaned_data["name"])
            messages.success(request, "The name is changed.")
            return redirect("tenant_settings")
    owns = request.access.allows(Right.OWN)
    context = {"form": form, "deletion": preview_deletion(request.access) if owns else None}
    return render(request, "dashboard/tenant_settings.html", context, status=422 if form.errors else 200)


@tenant_page(Right.OWN)
@require_POST
def delete_tenant(request: TenantRequest) -> HttpResponse:
    """The owner types the short name of the tenant, so that no slip deletes it."""

    def act() -> str:
        if request.POST.get("slug", "").strip() != request.membership.slug:
            raise AccountInvalid({"slug": f"Type {request.membership.slug} to delete this tenant."})
        due_at = request_deletion(request.access).due_at
        return f"{request.membership.name} will be erased on {due_at:%-d %B %Y}. Until then you can cancel that here."

    return perform(request, act, "tenant_settings")


@tenant_page(Right.OWN, while_closing=True)
@require_POST
def keep_tenant(request: TenantRequest) -> HttpResponse:
    def act() -> str:
        return f"{cancel_deletion(request.access).name} stays."

    return perform(request, act, "tenant_settings")


def perform(request: HttpRequest, act: Callable[[], str], page: str) -> HttpResponse:
    """Acts, says what happened or why not, and leads to the page."""
    try:
        messages.success(request, act())
    except (AccountError, LegalHold, QuotaExceeded) as error:
        messages.error(request, str(error))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect(page)
