from typing import Any

from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from unfold.paginator import InfinitePaginator

from tenants.models import (
    ApiKey,
    AuditEvent,
    Delivery,
    Member,
    Plan,
    PlanAssignment,
    Quota,
    Tenant,
    TenantErasure,
    UsageRecord,
    User,
    Webhook,
)
from tenants.plans import forget_limits
from tenants.platform_admin import PLATFORM, PlatformAdmin, ReadOnlyAdmin

admin.site.unregister(Group)  # membership in a tenant gives the rights
admin.site.unregister(EmailAddress)  # allauth's own bookkeeping


@admin.register(User)
class UserAdmin(DjangoUserAdmin, ModelAdmin):  # type: ignore[type-arg]  # not generic at run time
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    ordering = ("email",)
    list_display = ("email", "name", "is_active", "is_staff", "last_login")
    list_filter = ("is_active", "is_staff")
    search_fields = ("email", "name")
    readonly_fields = ("created_at", "last_login")
    filter_horizontal = ()
    fieldsets = (
        (None, {"fields": ("email", "name", "password")}),
        ("Rights", {"fields": ("is_active", "is_staff", "is_superuser")}),
        ("Dates", {"fields": ("created_at", "last_login")}),
    )
    add_fieldsets = ((None, {"classes": ("wide",), "fields": ("email", "password1", "password2")}),)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """A person becomes inactive and is not deleted: the audit log refers to the row."""
        return False


@admin.register(Tenant)
class TenantAdmin(PlatformAdmin):
    list_display = ("name", "slug", "created_at", "suspended_at", "deletion_due_at")
    search_fields = ("name", "slug")
    readonly_fields = (
        "created_at",
        "deletion_requested_at",
        "deletion_requested_by",
        "deletion_due_at",
        "llm_log_days",  # the tenant decides on a log of its memories
    )
    ordering = ("name",)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """The admin suspends a tenant and does not delete it: its rows must be erased first."""
        return False


class LimitsAdmin(PlatformAdmin):
    """A change counts for this process at once, and for the others within half a minute."""

    def save_model(self, request: HttpRequest, obj: Model, form: Any, change: bool) -> None:  # noqa: FBT001  # Django's
        super().save_model(request, obj, form, change)
        forget_limits()


@admin.register(Plan)
class PlanAdmin(LimitsAdmin):
    list_display = ("name", "is_default", "requests_per_minute", *Quota.values)
    fields = ("name", "is_default", "requests_per_minute", *Quota.values)
    ordering = ("name",)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Tenants without an assignment are on the default plan."""
        is_default = isinstance(obj, Plan) and obj.is_default
        return not is_default and bool(super().has_delete_permission(request, obj))


@admin.register(PlanAssignment)
class PlanAssignmentAdmin(LimitsAdmin):
    list_display = ("tenant", "plan", "requests_per_minute", *Quota.values, "note")
    list_select_related = ("tenant", "plan")
    list_filter = ("plan",)
    search_fields = ("=tenant__slug",)
    fields = ("tenant", "plan", "note", "requests_per_minute", *Quota.values)
    ordering = ("-id",)

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        return ("tenant",) if obj else ()


@admin.register(TenantErasure)
class TenantErasureAdmin(ReadOnlyAdmin):
    list_display = ("erased_tenant", "requested_by", "requested_at", "erased_at", "sha256")
    ordering = ("-id",)


@admin.register(Member)
class MemberAdmin(PlatformAdmin):
    list_display = ("user", "tenant", "role", "created_at")
    list_select_related = ("user", "tenant")
    list_filter = ("role",)
    search_fields = ("user__email", "tenant__slug")
    ordering = ("-id",)


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    list_display = ("name", "tenant", "prefix", "scopes", "last_used_at", "expires_at", "revoked_at")
    list_select_related = ("tenant",)
    search_fields = ("name", "prefix", "tenant__slug")
    exclude = ("digest",)
    ordering = ("-id",)
    actions = ("revoke",)

    @admin.action(description="Revoke the selected keys, at once and for good", permissions=["view"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        for key in queryset.filter(revoked_at=None):
            key.revoked_at = timezone.now()
            key.save(using=PLATFORM, update_fields=["revoked_at"])
            self.audit(request, key, "revoked")


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyAdmin):
    list_display = ("at", "tenant", "action", "target", "user", "api_key_prefix")
    list_select_related = ("tenant", "user")
    list_filter = ("action",)
    search_fields = ("action", "target", "request_id", "tenant__slug")
    paginator = InfinitePaginator  # every view adds a row, and counting takes too long
    show_full_result_count = False
    ordering = ("-id",)


@admin.register(UsageRecord)
class UsageRecordAdmin(ReadOnlyAdmin):
    list_display = ("at", "tenant", "kind", "bank_id", "api_key_prefix", "input_tokens", "output_tokens", "calls")
    list_select_related = ("tenant",)
    list_filter = ("kind",)
    search_fields = ("=tenant__slug",)
    paginator = InfinitePaginator
    show_full_result_count = False
    ordering = ("-id",)


@admin.register(Webhook)
class WebhookAdmin(ReadOnlyAdmin):
    list_display = ("url", "tenant", "bank_id", "events", "shape", "enabled", "failing_since", "disabled_at")
    list_select_related = ("tenant",)
    list_filter = ("enabled", "shape")
    search_fields = ("url", "=tenant__slug")
    exclude = ("secret",)
    ordering = ("-id",)


@admin.register(Delivery)
class DeliveryAdmin(ReadOnlyAdmin):
    list_display = ("created_at", "tenant", "event", "bank_id", "status", "attempts", "answer_code", "error")
    list_select_related = ("tenant",)
    list_filter = ("status",)
    search_fields = ("=tenant__slug",)
    paginator = InfinitePaginator
    show_full_result_count = False
    ordering = ("-id",)
