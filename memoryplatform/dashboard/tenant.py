"""Pages of the tenant itself: its founding, audit log, settings and deletion."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryplatform.dashboard.access import TENANT, TenantRequest, perform, tenant_page
from memoryplatform.dashboard.audit_sentences import PHRASES, list_actions, write_sentences
from memoryplatform.dashboard.faults import list_form_faults
from memoryplatform.dashboard.forms import AuditForm, TenantForm
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.account.deletion import cancel_deletion, preview_deletion, request_deletion
from memoryplatform.operations.account.errors import AccountError, AccountInvalid
from memoryplatform.operations.account.tenants import found, rename
from memoryplatform.operations.audit_log import find_events, write_csv
from tenants.audit import build_actor
from tenants.memberships import list_memberships
from tenants.models import User
from tenants.transactions import tenant_transaction

PAGE_SIZE = 50


@login_required
@require_http_methods(["GET", "POST"])
def found_tenant(request: HttpRequest) -> HttpResponse:
    form = TenantForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        owner = cast("User", request.user)
        try:
            tenant = found(owner, name=form.cleaned_data["name"], actor=build_actor(request, user_id=owner.id))
        except AccountInvalid as error:
            form.add_error(None, list(error.faults.values()))
        except AccountError as error:
            form.add_error(None, str(error))
        else:
            request.session[TENANT] = str(tenant.id)
            messages.success(request, f"{tenant.name} is ready.")
            return redirect("dashboard")
    return render(request, "dashboard/found_tenant.html", {"form": form}, status=422 if form.errors else 200)


@login_required
@require_POST
def switch_tenant(request: HttpRequest) -> HttpResponse:
    """Only to a tenant of the person: any other id is a 404."""
    chosen = request.POST.get("tenant", "")
    if chosen not in {str(one.tenant_id) for one in list_memberships(cast("User", request.user).id)}:
        raise Http404
    request.session[TENANT] = chosen
    return redirect("dashboard")


@tenant_page(Right.MANAGE)
@require_GET
def audit_log(request: TenantRequest) -> HttpResponse:
    form = AuditForm(request.GET)
    query = request.GET.copy()
    for name in ("page", *form.errors):  # the CSV refuses a filter that can't be read
        query.pop(name, None)
    with tenant_transaction(request.access.tenant_id):
        rows = find_events(BankAccess(request.access.tenant_id), form.wanted()).order_by("-id")
        page = Paginator(rows, PAGE_SIZE).get_page(request.GET.get("page"))
        sentences = write_sentences(request.access.tenant_id, list(page))
        context = {"page": page, "sentences": sentences, "form": form, "query": query.urlencode()}
        chosen = form.cleaned_data.get("action", "")
        actions = list_actions()
        is_listed = chosen in PHRASES or chosen in {kind for kind, *_ in actions}
        context |= {"actions": actions, "other_action": "" if is_listed else chosen}
        return render(request, "dashboard/audit_log.html", context | {"faults": list_form_faults(form)})


@tenant_page(Right.MANAGE)
@require_GET
def audit_csv(request: TenantRequest) -> HttpResponse:
    form = AuditForm(request.GET)
    if not form.is_valid():
        faults = "\n".join(f"{form[name].label}: {' '.join(map(str, given))}" for name, given in form.errors.items())
        return HttpResponse(faults, content_type="text/plain; charset=utf-8", status=422)
    lines = write_csv(BankAccess(request.access.tenant_id), form.wanted())
    headers = {"Content-Disposition": 'attachment; filename="audit-log.csv"'}
    return HttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)


@tenant_page(Right.VIEW)
@require_http_methods(["GET", "POST"])
def tenant_settings(request: TenantRequest) -> HttpResponse:
    form = TenantForm(request.POST or None, initial={"name": request.membership.name})
    if request.method == "POST":
        request.access.require(Right.MANAGE)
        if form.is_valid():
            try:
                rename(request.access, form.cleaned_data["name"])
            except AccountInvalid as error:
                form.add_error(None, list(error.faults.values()))
            else:
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
