"""Pages of API keys and of connected apps."""

from datetime import timedelta
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from memoryplatform.dashboard.access import TenantRequest, perform, tenant_page
from memoryplatform.dashboard.forms import ApiKeyForm, RotationForm
from memoryplatform.dashboard.shown_once import forget_secret, lead_to_secret, read_secret
from memoryplatform.operations.account import api_keys as keys
from memoryplatform.operations.account import connected_apps as apps
from memoryplatform.operations.account.access import Right
from memoryplatform.operations.account.errors import AccountError, AccountInvalid, ApiKeyNotFound
from memoryplatform.operations.banks.profile import find_banks
from tenants.transactions import tenant_transaction

MOST_BANKS = 200  # in the choice of banks


@never_cache
@tenant_page(Right.MANAGE)
@require_http_methods(["GET", "POST"])
def api_keys(request: TenantRequest) -> HttpResponse:
    """A new key is shown once, after a redirect: neither a reload nor the browser's history has it."""
    with tenant_transaction(request.access.tenant_id):
        banks = list(
            find_banks(request.access.to_bank()).order_by("bank_id").values_list("bank_id", "name")[:MOST_BANKS]
        )
    form = ApiKeyForm(request.POST or None, banks=banks)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        days = int(given["lifetime"]) if given["lifetime"] else None
        expires_at = timezone.now() + timedelta(days=days) if days else None
        try:
            wanted = keys.KeyRequest(given["name"], tuple(given["scopes"]), given["banks"], expires_at)
            new = keys.create_key(request.access, wanted)
            return lead_to_secret(request, "api_keys", new.key.id, new.text)
        except AccountInvalid as error:
            for field, fault in error.faults.items():
                form.add_error(field if field in form.fields else None, fault)
    listed = keys.list_keys(request.access)
    new_text, new_key = next(
        ((text, one.key) for one in listed if (text := read_secret(request, one.key.id))), ("", None)
    )
    context = {
        "keys": listed,
        "form": form,
        "new_key": new_key,
        "new_text": new_text,
        "now": timezone.now(),
        "url": request.build_absolute_uri("/").rstrip("/"),
    }
    answer = render(request, "dashboard/api_keys.html", context, status=422 if form.errors else 200)
    return forget_secret(answer) if new_key else answer


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
    except ApiKeyNotFound as missing:
        raise Http404(str(missing)) from None
    except AccountError as error:
        messages.error(request, str(error))
        return redirect("api_keys")
    return lead_to_secret(request, "api_keys", new.key.id, new.text)


@tenant_page(Right.MANAGE)
@require_POST
def revoke_key(request: TenantRequest, key_id: UUID) -> HttpResponse:
    def act() -> str:
        return f"The key {keys.revoke_key(request.access, key_id).name} no longer works."

    return perform(request, act, "api_keys")


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
