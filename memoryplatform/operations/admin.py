from django.contrib import admin
from django_dramatiq.models import Task

from memoryplatform.operations.models import Operation
from tenants.platform_admin import ReadOnlyAdmin

admin.site.unregister(Task)  # the middleware that would write them is off


@admin.register(Operation)
class OperationAdmin(ReadOnlyAdmin):
    list_display = ("kind", "tenant", "bank", "status", "processed", "total", "attempts", "error_code", "created_at")
    list_select_related = ("tenant", "bank")
    list_filter = ("status", "kind")
    search_fields = ("id", "kind", "error_code", "tenant__slug")
    ordering = ("-id",)
