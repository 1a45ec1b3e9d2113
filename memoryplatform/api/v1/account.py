"""`/v1/account`: the tenant of the caller, its members, invitations and API keys.

The caller is an API key with the scope admin, which has the rights of an admin, or a signed-in person. A session needs
Django's CSRF token in `X-CSRFToken` for every method that writes.
"""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ValidationError
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework import serializers
from rest_framework.authentication import SessionAuthentication
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from memoryplatform.api.authentication import ApiKeyAuthentication, check_standing
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Input, Output
from memoryplatform.api.views import TenantView
from memoryplatform.dashboard.access import find_membership
from memoryplatform.operations.account import (
    api_keys,
    connected_apps,
    deletion,
    invitations,
    members,
    own_llm,
    tenants,
)
from memoryplatform.operations.account.access import Right, TenantAccess
from memoryplatform.operations.account.errors import AccountInvalid, NotPermitted
from tenants.keys import SCOPES_OF_ROLE, KeyIdentity
from tenants.models import ApiKey, Member, Tenant
from tenants.transactions import tenant_transaction

ROLES = Member.Role.choices
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


class MemberOutput(Output):
    user_id = serializers.UUIDField()
    email = serializers.CharField(source="user.email")
    name = serializers.CharField(source="user.name")
    role = serializers.ChoiceField(choices=ROLES)
    since = serializers.DateTimeField(source="created_at")


class MembersOutput(Output):
    members = MemberOutput(many=True)


class RoleInput(Input):
    role = serializers.ChoiceField(choices=ROLES)


class InvitationOutput(Output):
    invitation_id = serializers.UUIDField(source="id")
    email = serializers.CharField()
    role = serializers.ChoiceField(choices=ROLES)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()


class InvitationsOutput(Output):
    invitations = InvitationOutput(many=True)


class InvitationInput(RoleInput):
    email = serializers.EmailField(max_length=254)


class AppOutput(Output):
    app_id = serializers.UUIDField(source="id")
    name = serializers.CharField(source="client.name", help_text="As the app named itself.")
    prefix = serializers.CharField(help_text="The name of the app in the audit log.")
    user_id = serializers.UUIDField(help_text="The person for whom it acts.")
    email = serializers.CharField(source="user.email")
    scopes = serializers.ListField(child=serializers.CharField())
    banks = serializers.ListField(child=serializers.CharField(), allow_null=True, help_text="Null: every bank.")
    created_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(allow_null=True)
    last_used_address = serializers.CharField(allow_null=True)
    last_used_agent = serializers.CharField()


class AppsOutput(Output):
    apps = AppOutput(many=True)


class OwnLLMOutput(Output):
    base_url = serializers.CharField()
    model = serializers.CharField()
    key_ending = serializers.CharField(help_text="The last four characters of the key. The rest is never shown again.")
    checked_at = serializers.DateTimeField(help_text="When the endpoint last passed the test call.")


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


class ApiKeyOutput(Output):
    key_id = serializers.UUIDField(source="id")
    name = serializers.CharField()
    prefix = serializers.CharField(help_text="The public part of the key: mpk_<prefix>_…")
    scopes = serializers.ListField(child=serializers.CharField())
    banks = serializers.ListField(child=serializers.CharField(), allow_null=True, help_text="Null: every bank.")
    created_at = serializers.DateTimeField()
    created_by = serializers.SerializerMethodField(help_text="The e-mail address of the person who made it.")
    expires_at = serializers.DateTimeField(allow_null=True)
    revoked_at = serializers.DateTimeField(allow_null=True)
    replaced_by = serializers.SerializerMethodField(help_text="The id of the key that a rotation made.")
    last_used_at = serializers.DateTimeField(allow_null=True)
    last_used_address = serializers.CharField(allow_null=True)
    last_used_agent = serializers.CharField()

    def get_created_by(self, key: ApiKey) -> str | None:
        return key.created_by.email if key.created_by else None

    def get_replaced_by(self, key: ApiKey) -> UUID | None:
        return key.replaced_by_id


class ListedKeyOutput(ApiKeyOutput):
    maker_left = serializers.BooleanField(help_text="The person who made the key is no longer a member.")

    def to_representation(self, instance: api_keys.ListedKey) -> dict[str, Any]:
        return {**ApiKeyOutput(instance.key).data, "maker_left": instance.maker_left}


class ApiKeysOutput(Output):
    keys = ListedKeyOutput(many=True)


class NewKeyOutput(Output):
    key = ApiKeyOutput()
    text = serializers.CharField(help_text="The key itself. It is not stored and can't be shown again.")


class ApiKeyInput(Input):
    name = serializers.CharField(max_length=200)
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=ApiKey.Scope.choices), min_length=1)
    banks = serializers.ListField(
        child=serializers.CharField(max_length=200),
        required=False,
        allow_null=True,
        min_length=1,
        max_length=api_keys.MOST_BANKS,
        help_text="Ids of the banks that the key may touch. Default: every bank.",
    )
    expires_at = serializers.DateTimeField(required=False, allow_null=True)

    def request(self) -> api_keys.KeyRequest:
        given = self.validated_data
        banks = given.get("banks")
        return api_keys.KeyRequest(
            given["name"], tuple(given["scopes"]), None if banks is None else tuple(banks), given.get("expires_at")
        )


class RotationInput(Input):
    overlap_hours = serializers.IntegerField(
        min_value=0,
        max_value=24 * api_keys.LONGEST_OVERLAP.days,
        default=24,
        help_text="How long the old key still works.",
    )


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


class MembersView(AccountView):
    scopes = READ

    @route("list_members", "List the members of the tenant", MembersOutput)
    def get(self) -> object:
        return {"members": members.list_members(self.caller)}


class MemberView(AccountView):
    scopes = READ

    @route("change_member_role", "Change the role of a member", MemberOutput, body=RoleInput)
    def patch(self, user_id: UUID, body: RoleInput) -> object:
        return members.change_role(self.caller, user_id, Member.Role(body.validated_data["role"]))

    @route("remove_member", "Remove a member, or leave", None, 204)
    def delete(self, user_id: UUID) -> None:
        """The keys that the person made stay."""
        members.remove_member(self.caller, user_id)


class InvitationsView(AccountView):
    scopes = ADMIN

    @route("list_invitations", "List open invitations, newest first", InvitationsOutput)
    def get(self) -> object:
        return {"invitations": invitations.list_invitations(self.caller)}

    @idempotent
    @route("invite_member", "Invite a person by e-mail", InvitationOutput, 201, body=InvitationInput)
    def post(self, body: InvitationInput) -> object:
        """The link in the e-mail works once, for seven days, for a person who has verified that address."""
        given = body.validated_data
        try:
            return invitations.invite(self.caller, given["email"], Member.Role(given["role"]))
        except ValidationError as error:
            raise AccountInvalid({"email": " ".join(error.messages)}) from error


class InvitationView(AccountView):
    scopes = ADMIN

    @route("revoke_invitation", "Withdraw an invitation", None, 204)
    def delete(self, invitation_id: UUID) -> None:
        invitations.revoke_invitation(self.caller, invitation_id)


class ApiKeysView(AccountView):
    scopes = ADMIN

    @route("list_api_keys", "List API keys, newest first", ApiKeysOutput)
    def get(self) -> object:
        """Includes revoked and expired keys."""
        return {"keys": api_keys.list_keys(self.caller)}

    @idempotent
    @route("create_api_key", "Create an API key", NewKeyOutput, 201, body=ApiKeyInput)
    def post(self, body: ApiKeyInput) -> object:
        return api_keys.create_key(self.caller, body.request())


class ApiKeyView(AccountView):
    scopes = ADMIN

    @route("revoke_api_key", "Revoke an API key", ApiKeyOutput)
    def delete(self, key_id: UUID) -> object:
        """Takes effect with the next request. A second call changes nothing."""
        return api_keys.revoke_key(self.caller, key_id)


class RotateKeyView(AccountView):
    scopes = ADMIN

    @idempotent
    @route("rotate_api_key", "Replace an API key", NewKeyOutput, 201, body=RotationInput)
    def post(self, key_id: UUID, body: RotationInput) -> object:
        """Makes a successor with the same rights. Both keys work until the overlap is over."""
        overlap = timedelta(hours=body.validated_data["overlap_hours"])
        return api_keys.rotate_key(self.caller, key_id, overlap=overlap)


class AppsView(AccountView):
    scopes = READ

    @route("list_connected_apps", "List connected apps, newest first", AppsOutput)
    def get(self) -> object:
        """Those who manage the tenant see every app, others their own."""
        return {"apps": connected_apps.list_apps(self.caller)}


class AppView(AccountView):
    scopes = READ

    @route("disconnect_app", "Disconnect an app", None, 204)
    def delete(self, app_id: UUID) -> None:
        """Its tokens end with the next request."""
        connected_apps.disconnect_app(self.caller, app_id)


class OwnLLMView(AccountView):
    scopes = ADMIN

    @route("get_own_llm", "Get the tenant's own language model", OwnLLMOutput)
    def get(self) -> object:
        return own_llm.get_own_llm(self.caller)

    @route("save_own_llm", "Set the tenant's own language model", OwnLLMOutput, body=OwnLLMInput)
    def put(self, body: OwnLLMInput) -> object:
        """The endpoint must answer a test call first. From then on it serves this tenant only."""
        given = body.validated_data
        choice = own_llm.LLMChoice(given["base_url"].rstrip("/"), given["model"].strip(), given.get("api_key"))
        return own_llm.save_own_llm(self.caller, choice)

    @route("delete_own_llm", "Remove the tenant's own language model", None, 204)
    def delete(self) -> None:
        """The stored key is erased. The service's model serves the tenant again."""
        own_llm.delete_own_llm(self.caller)
