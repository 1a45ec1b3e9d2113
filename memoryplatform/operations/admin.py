from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django_dramatiq.models import Task
from unfold.paginator import InfinitePaginator

from banks.admin.memory_admin import MemoryAdmin
from banks.errors import BankError
from banks.models import QuarantinedItem
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.errors import OperationError
from memoryplatform.operations.models import LLMRequest, Operation
from memoryplatform.operations.protection import read_quarantined, walk_texts
from memoryplatform.operations.quarantine import delete_item, release_item
from tenants.audit import build_actor
from tenants.models import User
from tenants.platform_admin import ReadOnlyAdmin

admin.site.unregister(Task)  # the middleware that would write them is off


@admin.register(Operation)
class OperationAdmin(ReadOnlyAdmin):
    list_display = ("kind", "tenant", "bank", "status", "processed", "total", "attempts", "error_code", "created_at")
    list_select_related = ("tenant", "bank")
    list_filter = ("status", "kind")
    search_fields = ("id", "kind", "error_code", "tenant__slug")
    ordering = ("-id",)


@admin.register(LLMRequest)
class LLMRequestAdmin(ReadOnlyAdmin):
    """The log of a tenant that wants one. The list has no texts; opening a request is in the tenant's audit log."""

    list_display = (
        "created_at",
        "tenant",
        "task",
        "model",
        "bank_key",
        "input_tokens",
        "output_tokens",
        "cost",
        "milliseconds",
        "outcome",
    )
    list_select_related = ("tenant",)
    list_filter = ("task", "service")
    search_fields = ("=tenant__slug", "=operation_id")
    paginator = InfinitePaginator
    show_full_result_count = False
    ordering = ("-id",)
    exclude = ("prompt", "answer")
    readonly_fields = ("texts",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).defer("prompt", "answer")

    @admin.display(description="Prompt and answer")
    def texts(self, row: LLMRequest) -> str:
        if row.messages is None or row.readable_answer is None:
            return "No key of the service decrypts them any more."
        parts = [*((one["role"], one["content"]) for one in row.messages), ("answer", row.readable_answer)]
        return "\n\n".join(f"{name}: {text}" for name, text in parts)


@admin.register(QuarantinedItem)
class QuarantinedItemAdmin(MemoryAdmin):
    """A release and a deletion go the way of the API, on the tenant's own connection, and are in its audit log."""

    list_display = ("reason", "in_bank", "in_tenant", "created_at")
    readonly_fields = ("texts", "findings")
    fields = ("texts", "findings", "bank", "tenant", "api_key_prefix")
    actions = ("release_selected", "delete_selected_items")
    search_help_text = "An id."

    def has_review_permission(self, request: HttpRequest) -> bool:
        """Django asks for it by the name in `permissions` of the actions."""
        return request.user.has_perm("banks.change_quarantineditem")

    @admin.display(description="Found")
    def reason(self, row: QuarantinedItem) -> str:
        return ", ".join(sorted({one["kind"] for one in row.findings}))

    @admin.display(description="Texts")
    def texts(self, row: QuarantinedItem) -> str:
        try:
            return "\n".join(f"{field}: {text}" for field, text in walk_texts(read_quarantined(row)))
        except BankError as error:
            return str(error)

    @admin.action(description="Release into the memory", permissions=["review"])
    def release_selected(self, request: HttpRequest, rows: QuerySet[Any]) -> None:
        self.review(request, rows, release_item)

    @admin.action(description="Delete for good", permissions=["review"])
    def delete_selected_items(self, request: HttpRequest, rows: QuerySet[Any]) -> None:
        self.review(request, rows, delete_item)

    def review(self, request: HttpRequest, rows: QuerySet[Any], act: Callable[[BankAccess, str, UUID], object]) -> None:
        actor = build_actor(request, user_id=request.user.id if isinstance(request.user, User) else None)
        done = 0
        for row in rows.select_related("bank"):
            try:
                act(BankAccess(row.tenant_id, actor=actor), row.bank.bank_id, row.id)
                done += 1
            except (BankError, OperationError) as error:
                messages.error(request, str(error))
        messages.success(request, f"{done} done.")
