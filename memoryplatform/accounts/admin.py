"""The admin of accounts: staff see sessions, second factors and OAuth clients, and may end them. No secret is shown."""

from typing import ClassVar

from allauth.idp.oidc.models import Client, Token
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import ModelAdmin

admin.site.unregister(Authenticator)
admin.site.unregister(UserSession)
admin.site.unregister(Client)
admin.site.unregister(Token)


class ReadAndDeleteAdmin(ModelAdmin):
    search_fields: ClassVar[list[str]] = ["user__email"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Authenticator)
class AuthenticatorAdmin(ReadAndDeleteAdmin):
    list_display = ("user", "type", "created_at", "last_used_at")
    exclude = ("data",)


@admin.register(UserSession)
class UserSessionAdmin(ReadAndDeleteAdmin):
    list_display = ("user", "created_at", "last_seen_at", "ip", "user_agent")
    exclude = ("session_key", "data")


@admin.register(Client)
class ClientAdmin(ReadAndDeleteAdmin):
    """A deleted client takes its tokens along."""

    list_display = ("name", "id", "type", "created_at")
    search_fields: ClassVar[list[str]] = ["name", "id", "redirect_uris"]
    exclude = ("secret", "data")
