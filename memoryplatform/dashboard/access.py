"""The signed-in person's tenant and bank: checked against the memberships at every request.

Also the frame of every act of a page.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Concatenate, ParamSpec, cast
from urllib.parse import urlsplit, urlunsplit
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.contrib.sessions.backends.base import SessionBase
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django_htmx.http import HttpResponseClientRedirect

from banks.errors import BankError, BankNotFound
from banks.models import Bank
from memoryplatform.dashboard.control_characters import show_controls
from memoryplatform.operations.account.access import Right, TenantAccess
from memoryplatform.operations.account.errors import (
    AccountError,
    AccountInvalid,
    NotPermitted,
    TenantClosing,
    TenantSuspended,
)
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.errors import OperationError
from reflection.errors import ReflectionError
from tenants.audit import build_actor
from tenants.memberships import Membership, list_memberships
from tenants.models import Member, User
from tenants.transactions import QuotaExceeded

TENANT = "tenant_id"  # the chosen tenant in the session
LAST_BANK = "last_bank"  # the bank whose pages were opened last: tenant, id and name
# Last words of routes. Some pages of a list also show one of its things, or act on several.
NOUNS = "memory entity opinion conversation document operation webhook key member invitation app"
THINGS = {noun: noun for noun in NOUNS.split()}
THINGS |= {"memories": "memory", "conversations": "conversation", "role": "member"}
P = ParamSpec("P")


class TenantRequest(HttpRequest):
    """A request of a member. `tenant_page` sets the fields."""

    memberships: Sequence[Membership]  # of the person in any tenant
    membership: Membership
    access: TenantAccess


class BankRequest(TenantRequest):
    """A request of a member for a page of one bank. `bank_page` sets the field."""

    bank: Bank


View = Callable[Concatenate[TenantRequest, P], HttpResponse]
BankView = Callable[Concatenate[BankRequest, P], HttpResponse]


def tenant_page(
    right: Right, *, while_closing: bool = False
) -> Callable[[View[P]], Callable[Concatenate[HttpRequest, P], HttpResponse]]:
    """For pages of a tenant. A person without a tenant is led to the page that founds one.

    The pages of a tenant that is going to be erased can be read. `while_closing` also accepts a form.
    """

    def decorate(view: View[P]) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
        @wraps(view)
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if not request.user.is_authenticated:
                return lead_to_login(request)
            own = cast("TenantRequest", request)
            own.memberships = list_memberships(request.user.id)
            membership = choose_membership(own.memberships, request.session)
            if membership is None:
                return redirect("found_tenant")
            own.membership = membership
            own.access = build_access(request, membership)
            try:
                check_standing(request, membership, while_closing=while_closing)
                own.access.require(right)
                answer = view(own, *args, **kwargs)
                if isinstance(answer, HttpResponseNotAllowed) and request.method == "GET":
                    answer.content = render(request, "dashboard/missing.html", {"is_form": True}).content
            except (NotPermitted, TenantClosing, TenantSuspended) as refused:
                answer = render(request, "dashboard/refused.html", {"reason": str(refused)}, status=403)
            except Http404:
                missing = name_missing(own)
                answer = render(request, "dashboard/missing.html", {"missing": missing}, status=404)
                if missing == "bank":
                    answer["HX-Refresh"] = "true"  # an open page of a deleted bank says so, instead of its old rows
            show_controls(answer)
            patch_vary_headers(answer, ["HX-Request"])  # an address may have a whole page and a part of it
            return answer

        guarded.right = right  # type: ignore[attr-defined]  # the table of permissions reads it
        return guarded

    return decorate


def name_missing(request: TenantRequest) -> str:
    """The thing that the address names, e.g. "memory" for `edit_memory`."""
    if "bank_id" in request.resolver_match.kwargs and not hasattr(request, "bank"):  # type: ignore[union-attr]
        return "bank"
    named = (request.resolver_match.url_name or "").rpartition("_")[2]  # type: ignore[union-attr]
    return THINGS.get(named, "page")


def bank_page(right: Right) -> Callable[[BankView[P]], Callable[..., HttpResponse]]:
    """For pages whose address has a `bank_id`. A bank or a row that is deleted or of another tenant is a 404."""

    def decorate(view: BankView[P]) -> Callable[..., HttpResponse]:
        @tenant_page(right)
        @wraps(view)
        def guarded(request: TenantRequest, /, bank_id: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            own = cast("BankRequest", request)
            try:
                with bank_transaction(request.access.to_bank(), bank_id) as own.bank:
                    pass
            except BankNotFound as missing:
                if request.session.get(LAST_BANK, {}).get("bank_id") == bank_id:
                    del request.session[LAST_BANK]
                raise Http404(str(missing)) from None
            remember_bank(own)
            try:
                return view(own, *args, **kwargs)
            except (BankError, OperationError, ReflectionError) as error:
                if error.code.endswith("_not_found"):
                    raise Http404(str(error)) from None
                raise

        return guarded

    return decorate


@tenant_page(Right.VIEW)
def missing_page(_request: TenantRequest, rest: str) -> HttpResponse:
    raise Http404(rest)


@bank_page(Right.VIEW)
def missing_bank_page(_request: BankRequest, rest: str) -> HttpResponse:
    raise Http404(rest)


def remember_bank(request: BankRequest) -> None:
    """The menu keeps the bank on the pages of the tenant. Only a change is written."""
    bank = request.bank
    opened = {"tenant_id": str(bank.tenant_id), "bank_id": bank.bank_id, "name": bank.name}
    if request.session.get(LAST_BANK) != opened:
        request.session[LAST_BANK] = opened


def lead_to_login(request: HttpRequest) -> HttpResponse:
    """The log-in leads back to the page that is open in the browser: a form's own address can't be opened."""
    page, htmx = request.get_full_path(), request.htmx  # type: ignore[attr-defined]  # set by its middleware
    has_ended = bool(htmx) or settings.SESSION_COOKIE_NAME in request.COOKIES
    if htmx:
        page = htmx.current_url_abs_path or reverse("dashboard")
        if request.method == "GET" and urlsplit(page).path == request.path:
            page = request.get_full_path()  # with the query that was just typed
    elif request.method != "GET":
        opened = find_open_page(request)
        has_ended = has_ended or bool(opened)
        page = opened or reverse("dashboard")
    address = redirect_to_login(page).url + ("&ended=yes" if has_ended else "")  # the log-in says why it is shown
    return HttpResponseClientRedirect(address) if htmx else redirect(address)


def find_open_page(request: HttpRequest) -> str:
    """The address of the page that sent a form; empty if it is one of another site, or if the browser doesn't say."""
    referrer = urlsplit(request.headers.get("Referer", ""))
    return urlunsplit(("", "", referrer.path, referrer.query, "")) if referrer.netloc == request.get_host() else ""


def check_standing(request: HttpRequest, membership: Membership, *, while_closing: bool) -> None:
    if membership.standing == "suspended":
        raise TenantSuspended
    if membership.standing == "closing" and request.method == "POST" and not while_closing:
        raise TenantClosing


def find_membership(user_id: UUID, session: SessionBase) -> Membership | None:
    return choose_membership(list_memberships(user_id), session)


def choose_membership(memberships: Sequence[Membership], session: SessionBase) -> Membership | None:
    """The chosen tenant if the person is still a member of it, else the first one."""
    chosen = session.get(TENANT)
    return next((one for one in memberships if str(one.tenant_id) == chosen), memberships[0] if memberships else None)


def build_access(request: HttpRequest, membership: Membership) -> TenantAccess:
    user = cast("User", request.user)
    actor = build_actor(request, user_id=user.id, email=user.email)
    return TenantAccess(membership.tenant_id, Member.Role(membership.role), actor)


def wants_part(request: HttpRequest) -> bool:
    """Whether htmx asks for a part of the page. Going back in the browser asks for the whole page."""
    htmx = request.htmx  # type: ignore[attr-defined]  # set by its middleware
    return bool(htmx) and not htmx.history_restore_request


def perform(request: HttpRequest, act: Callable[[], str], page: str) -> HttpResponse:
    """Acts, says what happened or why not, and leads to the page. What is not there, or another tenant's, is a 404."""
    try:
        messages.success(request, act())
    except AccountInvalid as error:
        messages.error(request, " ".join(map(str, error.faults.values())))  # without the names of the API's fields
    except (AccountError, BankError, OperationError, ReflectionError, QuotaExceeded) as error:
        if error.code.endswith("_not_found"):
            raise Http404(str(error)) from None
        messages.error(request, str(error))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect(page)
