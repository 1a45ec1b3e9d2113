"""The authorization server: metadata, consent and tokens.

allauth speaks the protocol. The views here add the rules of this service: exact redirect URIs, PKCE with S256 for every
client, a consent that names tenant and banks, codes and refresh tokens that work once.
"""

import hashlib
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import urlsplit

from allauth.idp.oidc import views as oidc
from allauth.idp.oidc.forms import AuthorizationForm
from allauth.idp.oidc.models import Client, Token
from django import forms
from django.contrib.auth.decorators import login_required
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from memoryplatform.dashboard.access import build_access, find_membership
from memoryplatform.oauth.clients import GRANT_TYPES, SCOPES, get_base_url
from memoryplatform.operations.account.connected_apps import Consent, connect_app
from memoryplatform.operations.account.errors import AccountInvalid
from tenants.keys import find_app
from tenants.memberships import Membership, list_memberships
from tenants.models import User

View = Callable[..., HttpResponse]
CODE_SECONDS = 600  # longer than any code lives
NEW_LOCATION = 302


def refuse_unreadable(view: View) -> View:
    """A null byte, which Postgres can't store, and JSON that is nested too deep."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        given = request.GET if request.method == "GET" else request.POST
        if any("\x00" in value for values in given.lists() for value in values[1]):
            return refuse("invalid_request", "A value contains a null byte.")
        try:
            return view(request, *args, **kwargs)
        except RecursionError:
            return refuse("invalid_request", "The body is nested too deep.")

    return guarded


def answer_openly(value: dict[str, Any]) -> JsonResponse:
    """Pages of any origin may read it: it holds nothing of a person."""
    return JsonResponse(value, headers={"Access-Control-Allow-Origin": "*", "Cache-Control": "public, max-age=300"})


@require_safe
def show_server(request: HttpRequest) -> JsonResponse:
    """RFC 8414. OpenID's address has the same: some clients know only that one."""
    base = get_base_url(request)
    routes = {
        "authorization_endpoint": "authorization",
        "token_endpoint": "token",
        "registration_endpoint": "client_registration",
        "revocation_endpoint": "revoke",
        "jwks_uri": "jwks",
    }
    return answer_openly(
        {
            "issuer": base,
            **{name: base + reverse(f"idp:oidc:{route}") for name, route in routes.items()},
            "scopes_supported": list(SCOPES),
            "response_types_supported": ["code"],
            "grant_types_supported": GRANT_TYPES,
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        }
    )


@require_safe
def show_resource(request: HttpRequest, bank_id: str = "") -> JsonResponse:
    """RFC 9728: the resource is `/mcp`, or the address of one bank."""
    base = get_base_url(request)
    return answer_openly(
        {
            "resource": f"{base}/mcp/{bank_id}" if bank_id else f"{base}/mcp",
            "authorization_servers": [base],
            "scopes_supported": list(SCOPES),
            "bearer_methods_supported": ["header"],
            "resource_name": "Memory platform",
        }
    )


class ConsentForm(AuthorizationForm):  # type: ignore[misc]  # allauth has no types
    """allauth adds the scopes, of which the person may clear some."""

    tenant = forms.ChoiceField(label="Tenant")
    banks = forms.CharField(
        label="Banks", required=False, help_text="Ids, separated by commas. Leave it empty for every bank."
    )

    def __init__(self, *args: Any, memberships: list[Membership], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.memberships = {str(one.tenant_id): one for one in memberships}
        self.fields["tenant"].choices = [(key, one.name) for key, one in self.memberships.items()]
        self.fields["scopes"].error_messages["required"] = "Choose at least one."

    def clean_banks(self) -> tuple[str, ...] | None:
        given = tuple(bank.strip() for bank in self.cleaned_data["banks"].split(",") if bank.strip())
        return given or None


@method_decorator((login_required, never_cache), name="dispatch")
class AuthorizationView(oidc.AuthorizationView):  # type: ignore[misc]  # allauth has no types
    form_class = ConsentForm

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        asked = request.GET
        client = Client.objects.filter(id=asked.get("client_id", "")).first()
        if client is None or asked.get("redirect_uri") not in client.get_redirect_uris():
            fault = {"description": "The app is unknown, or its redirect URI is not one that it registered."}
            return render(request, "idp/oidc/error.html", {"error": fault}, status=400)
        if not asked.get("code_challenge") or asked.get("code_challenge_method") != "S256":
            fault = {"error": "invalid_request", "error_description": "PKCE is required, with the method S256."}
            return go_to_app(asked["redirect_uri"], fault | ({"state": asked["state"]} if "state" in asked else {}))
        if not self.memberships:
            return redirect("found_tenant")
        response: HttpResponse = super().get(request, *args, **kwargs)
        if response.status_code == HTTPStatus.OK and not isinstance(response, TemplateResponse):
            response.status_code = HTTPStatus.BAD_REQUEST  # it is not the form, but allauth's page of an error
        return response

    @property
    def memberships(self) -> list[Membership]:
        return list_memberships(cast("User", self.request.user).id)

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "memberships": self.memberships}

    def get_initial(self) -> dict[str, Any]:
        current = find_membership(cast("User", self.request.user).id, self.request.session)
        bank_id = find_bank(self._request_info.get("resources") or [])
        return {**super().get_initial(), "tenant": str(current.tenant_id) if current else "", "banks": bank_id}

    def form_valid(self, form: ConsentForm) -> HttpResponse:
        given = form.cleaned_data
        access = build_access(self.request, form.memberships[given["tenant"]])
        try:
            connect_app(access, Consent(self._request_info["client_id"], tuple(given["scopes"]), given["banks"]))
        except AccountInvalid as error:
            for field, fault in error.faults.items():
                form.add_error(field, fault)
            return cast("HttpResponse", self.form_invalid(form))
        return cast("HttpResponse", super().form_valid(form))

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return {**super().get_context_data(**kwargs), "redirect_uri": self._request_info["redirect_uri"]}

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        """The page's policy lets its form lead to the app, and to nowhere else."""
        response: HttpResponse = super().render_to_response(context, **kwargs)
        response._csp_update = {"form-action": write_source(context["redirect_uri"])}  # type: ignore[attr-defined]  # noqa: SLF001  # as django-csp's decorators do
        return response


def write_source(redirect_uri: str) -> str:
    """A source of a Content-Security-Policy, which has no form for the schemes of apps and for IPv6 addresses."""
    address = urlsplit(redirect_uri)
    is_named = address.scheme in {"http", "https"} and not address.netloc.startswith("[")
    return f"{address.scheme}://{address.netloc}" if is_named else f"{address.scheme}:"


def find_bank(resources: list[str]) -> str:
    """A client that connects to `/mcp/{bank}` is offered that bank."""
    (_, _, bank_id) = (resources[0] if resources else "").partition("/mcp/")
    return bank_id.strip("/")


def go_to_app(redirect_uri: str, values: dict[str, str]) -> HttpResponse:
    """Django's redirect knows no schemes of apps. Precondition: the client has registered the URI."""
    joint = "&" if "?" in redirect_uri else "?"
    return HttpResponse(status=NEW_LOCATION, headers={"Location": f"{redirect_uri}{joint}{urlencode(values)}"})


class TokenView(oidc.TokenView):  # type: ignore[misc]  # allauth has no types
    def post(self, request: HttpRequest) -> HttpResponse:
        kind = request.POST.get("grant_type")
        if kind not in GRANT_TYPES:
            return refuse("unsupported_grant_type", f"The grant types are {' and '.join(GRANT_TYPES)}.")
        if kind == "authorization_code" and not claim_code(request.POST.get("code", "")):
            return refuse("invalid_grant", "This code was used already.")
        try:
            with transaction.atomic():
                if kind == "refresh_token" and not lock_refresh(request.POST.get("refresh_token", "")):
                    return refuse("invalid_grant", "This refresh token is not valid.")
                return cast("HttpResponse", super().post(request))
        except ValidationError as error:
            return refuse("invalid_target", " ".join(error.messages))


def refuse(error: str, sentence: str) -> JsonResponse:
    return JsonResponse(
        {"error": error, "error_description": sentence}, status=400, headers={"Cache-Control": "no-store"}
    )


def claim_code(code: str) -> bool:
    """One request gets to try a code. allauth reads and deletes it in two steps, between which another could read."""
    digest = hashlib.sha256(code.encode()).hexdigest()
    return bool(cache.add(f"oauth_code_tried:{digest}", 1, timeout=CODE_SECONDS))


def lock_refresh(text: str) -> bool:
    """Of two requests with one refresh token the second waits here, and finds it gone. Call inside a transaction.

    False as well for the token of a person who left the tenant or disconnected the app.
    """
    held = Token.objects.by_value(text).filter(type=Token.Type.REFRESH_TOKEN).select_for_update().first()
    return held is not None and find_app(text, kind=Token.Type.REFRESH_TOKEN) is not None
