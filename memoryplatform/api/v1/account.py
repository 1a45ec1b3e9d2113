"""`/v1/account`: the tenant of the caller, its deletion and its own language model; who may call these routes.

The caller is an API key with the scope admin, which has the rights of an admin, or a signed-in person. A session needs
Django's CSRF token in `X-CSRFToken` for every method that writes.
"""

from typing import Any

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework import serializers
from rest_framework.authentication import SessionAuthentication
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from memoryplatform.api.authentication import ApiKeyAuthentication, check_standing
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Input, Output
from memoryplatform.api.views import TenantView
from memoryplatform.dashboard.access import find_membership
from memoryplatform.operations.account import deletion, own_llm, tenants
from memoryplatform.operations.account.access import Right, TenantAccess
from memoryplatform.operations.account.errors import NotPermitted
from tenants.keys import SCOPES_OF_ROLE, KeyIdentity
from tenants.models import Member, OwnLLM, Tenant
from tenants.transactions import tenant_transaction

READ = {"GET": "read", "POST": "admin", "PATCH": "admin", "DELETE": "read"}
ADMIN = {"GET": "admin", "POST": "admin", "PUT": "admin", "PATCH": "admin", "DELETE": "admin"}


class MemberAuthentication(SessionAuthentication):
    """The session of a signed-in member. A request with an `Authorization` header is its key's alone."""

    def authenticate(self, request: Request) -> tuple[Any, KeyIdentity] | None:
        signed_in = None if request.headers.get("Authorization") else super().authenticate(request)
        membership = find_membership(signed_in[0].id, request.session) if signed_in else None
        if signed_in is None or membership is None:
            return None
        user, role = signed_in[0], Member.Role(membership.role)
        scopes, standing = SCOPES_OF_ROLE[role], membership.standing
        return user, KeyIdentity(user.id, membership.tenant_id, "", scopes, None, None, user.id, role, standing)

    def authenticate_header(self, _request: Request) -> str:
        """Makes a missing or wrong credential a 401."""
        return "Bearer"


class MemberScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # its stubs lack __init_subclass__
    target_class = MemberAuthentication
    name = "session"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "apiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME}


class AccountView(TenantView):
    authentication_classes = (MemberAuthentication, ApiKeyAuthentication)
    quotes_memories = False
    works_while_closing = False

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Members may look at a tenant that is going to be erased, and an owner may cancel that."""
        super().initial(request, *args, **kwargs)
        is_open = request.method in SAFE_METHODS or self.works_while_closing
        if self.identity.standing != "closing" or not is_open:
            check_standing(self.identity.standing)

    @property
    def caller(self) -> TenantAccess:
        identity = self.identity
        if identity.banks is not None:
            raise NotPermitted("An API key that is limited to some banks can't manage the tenant.")
        if identity.is_app and self.request.method not in SAFE_METHODS:
            raise NotPermitted("A connected app can't manage the tenant.")
        role = Member.Role(identity.role) if identity.role else find_role(identity)
        return TenantAccess(identity.tenant_id, role, self.actor)


def find_role(identity: KeyIdentity) -> Member.Role:
    """The role with the rights of a key or an app."""
    if identity.allows("admin"):
        return Member.Role.ADMIN
    return Member.Role.MEMBER if identity.allows("write") else Member.Role.VIEWER


class TenantOutput(Output):
    tenant_id = serializers.UUIDField(source="id")
    slug = serializers.CharField()
    name = serializers.CharField()
    created_at = serializers.DateTimeField()


class TenantInput(Input):
    name = serializers.CharField(max_length=200)


class TenantDeletionOutput(Output):
    counts = serializers.DictField(child=serializers.IntegerField(), help_text="Rows that are erased, by table.")
    banks = serializers.ListField(child=serializers.CharField())
    requested_at = serializers.DateTimeField(allow_null=True, help_text="Null unless the deletion is requested.")
    requested_by = serializers.UUIDField(allow_null=True, help_text="The id of the owner.")
    due_at = serializers.DateTimeField(allow_null=True, help_text="When everything is erased.")


class AccountRootView(AccountView):
    scopes = READ

    @route("get_account", "Get the tenant", TenantOutput)
    def get(self) -> object:
        self.caller.require(Right.VIEW)
        with tenant_transaction(self.tenant_id):
            return Tenant.objects.get(id=self.tenant_id)

    @route("rename_account", "Rename the tenant", TenantOutput, body=TenantInput)
    def patch(self, body: TenantInput) -> object:
        return tenants.rename(self.caller, body.validated_data["name"])

    @route("delete_account", "Delete the tenant after seven days", TenantDeletionOutput, 202)
    def delete(self) -> object:
        """For the session of an owner. During the seven days API keys are refused and an owner can cancel. Then
        everything is erased, and the owner gets the receipt by e-mail.
        """
        return deletion.request_deletion(self.caller)


class DeletionView(AccountView):
    scopes = READ
    works_while_closing = True

    @route("preview_account_deletion", "Preview the deletion of the tenant", TenantDeletionOutput)
    def get(self) -> object:
        return deletion.preview_deletion(self.caller)

    @route("cancel_account_deletion", "Cancel the deletion of the tenant", TenantOutput)
    def delete(self) -> object:
        return deletion.cancel_deletion(self.caller)


class OwnLLMOutput(Output):
    task = serializers.ChoiceField(OwnLLM.Task.choices)
    base_url = serializers.CharField()
    model = serializers.CharField()
    key_ending = serializers.CharField(help_text="The last four characters of the key. The rest is never shown again.")
    reasoning_effort = serializers.CharField()
    temperature = serializers.FloatField(allow_null=True)
    timeout_seconds = serializers.FloatField(allow_null=True)
    checked_at = serializers.DateTimeField(help_text="When the endpoint last passed the test call.")


class OwnLLMListOutput(Output):
    llms = OwnLLMOutput(many=True)


class OwnLLMQuery(Input):
    task = serializers.ChoiceField(
        OwnLLM.Task.choices,
        default=OwnLLM.Task.ALL,
        help_text="`all` serves every task that has no model of its own; `fallback` takes over while another fails.",
    )


class OwnLLMInput(Input):
    base_url = serializers.CharField(max_length=2_000, help_text="An OpenAI-compatible endpoint, with its /v1.")
    model = serializers.CharField(max_length=200)
    api_key = serializers.CharField(
        max_length=own_llm.LONGEST_KEY,
        required=False,
        allow_blank=True,
        allow_null=True,
        help_text="Left out: the stored key stays, for the same base URL. Empty: the endpoint needs none.",
    )
    reasoning_effort = serializers.CharField(
        max_length=20, default="", allow_blank=True, help_text="Such as `low`. Empty: none is asked for."
    )
    temperature = serializers.FloatField(min_value=0, max_value=2, default=None, allow_null=True)
    timeout_seconds = serializers.FloatField(
        min_value=1, max_value=own_llm.LONGEST_SECONDS, default=None, allow_null=True, help_text="Of one call."
    )


class OwnLLMView(AccountView):
    scopes = ADMIN

    @route("get_own_llm", "Get one of the tenant's own language models", OwnLLMOutput, query=OwnLLMQuery)
    def get(self, wanted: dict[str, Any]) -> object:
        return own_llm.get_own_llm(self.caller, wanted["task"])

    @route(
        "save_own_llm",
        "Set one of the tenant's own language models",
        OwnLLMOutput,
        query=OwnLLMQuery,
        body=OwnLLMInput,
    )
    def put(self, wanted: dict[str, Any], body: OwnLLMInput) -> object:
        """The endpoint must answer a test call first. From then on it serves this tenant only."""
        given = body.validated_data
        cleaned = {"base_url": given["base_url"].rstrip("/"), "model": given["model"].strip()}
        return own_llm.save_own_llm(self.caller, own_llm.LLMChoice(**given | cleaned), wanted["task"])

    @route("delete_own_llm", "Remove one of the tenant's own language models", None, 204, query=OwnLLMQuery)
    def delete(self, wanted: dict[str, Any]) -> None:
        """The stored key is erased. The tenant's model for all tasks serves, or else the service's."""
        own_llm.delete_own_llm(self.caller, wanted["task"])


class OwnLLMsView(AccountView):
    scopes = ADMIN

    @route("list_own_llms", "List the tenant's own language models", OwnLLMListOutput)
    def get(self) -> object:
        return {"llms": own_llm.list_own_llms(self.caller)}
