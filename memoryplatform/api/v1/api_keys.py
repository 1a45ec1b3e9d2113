"""`/v1/account/keys` and `/v1/account/apps`: the programs that act for the tenant, by an API key or by OAuth."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from rest_framework import serializers

from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Input, Output
from memoryplatform.api.v1.account import ADMIN, READ, AccountView
from memoryplatform.operations.account import api_keys, connected_apps
from tenants.models import ApiKey


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
    expires_at = serializers.DateTimeField(
        required=False, allow_null=True, help_text="At most ten years ahead. Default: never."
    )

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
