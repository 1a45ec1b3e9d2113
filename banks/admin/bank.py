from django.contrib import admin

from banks.models import Bank
from tenants.platform_admin import ReadOnlyAdmin


@admin.register(Bank)
class BankAdmin(ReadOnlyAdmin):
    list_display = ("bank_id", "name", "tenant", "embedding_model", "created_at", "deleted_at")
    list_select_related = ("tenant",)
    search_fields = ("bank_id", "name", "tenant__slug")
    ordering = ("-id",)
