from typing import Any

from django.contrib import admin
from unfold.contrib.filters.admin import BooleanRadioFilter

from banks.admin.memory_admin import OWNER_FILTERS, MemoryAdmin, shorten
from retrieval.models import Feedback, RecallRecord


@admin.register(RecallRecord)
class RecallRecordAdmin(MemoryAdmin):
    list_display = ("asked", "query_type", "found", "tokens", "took", "in_bank", "in_tenant", "recalled_at")
    search_help_text = "An id."

    @admin.display(description="Query")
    def asked(self, record: RecallRecord) -> str:
        return shorten(record.query, 100)

    @admin.display(description="Results")
    def found(self, record: RecallRecord) -> int:
        return len(record.results)

    @admin.display(description="Milliseconds")
    def took(self, record: RecallRecord) -> Any:
        return record.milliseconds.get("total")


@admin.register(Feedback)
class FeedbackAdmin(MemoryAdmin):
    list_display = ("memory_id", "useful", "rank", "said", "marked_by", "in_bank", "in_tenant", "updated_at")
    list_filter = (("useful", BooleanRadioFilter), *OWNER_FILTERS)
    search_help_text = "An id."

    @admin.display(description="Comment")
    def said(self, feedback: Feedback) -> str:
        return shorten(feedback.comment)
