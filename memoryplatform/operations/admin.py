from django.contrib import admin

from memoryplatform.operations.models import Operation
from tenants.platform_admin import ReadOnlyAdmin


@admin.register(Operation)
class OperationAdmin(ReadOnlyAdmin):
    list_display = ("kind", "tenant", "bank", "status", "processed", "total", "attempts", "error_code", "created_at")
    list_select_related = ("tenant", "bank")
    list_filter = ("status", "kind")
    search_fields = ("id", "kind", "error_code", "tenant__slug")
    ordering = ("-id",)
