"""Read-only pages of histories, rules and mental models. Opinions are reviewed in memoryplatform.review."""

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.utils.html import format_html_join
from unfold.contrib.filters.admin import BooleanRadioFilter, ChoicesDropdownFilter

from banks.admin.memory_admin import OWNER_FILTERS, MemoryAdmin, link_to_id, parse_id, shorten
from reflection.models import (
    BackgroundRevision,
    Directive,
    MentalModel,
    MentalModelRevision,
    OpinionRevision,
    RetentionRule,
    RevisionEvidence,
)
from tenants.platform_admin import PLATFORM


@admin.register(OpinionRevision)
class OpinionRevisionAdmin(MemoryAdmin):
    list_display = ("of_opinion", "number", "cause", "from_to", "actor", "in_bank", "in_tenant", "created_at")
    list_filter = (("cause", ChoicesDropdownFilter), *OWNER_FILTERS)
    search_help_text = "The id of a revision or of an opinion."

    def match(self, request: HttpRequest, term: str) -> Q:
        wanted = parse_id(term)
        return super().match(request, term) if wanted is None else Q(pk=wanted) | Q(opinion_id=wanted)

    @admin.display(description="Opinion")
    def of_opinion(self, revision: OpinionRevision) -> str:
        return shorten(revision.text_after, 100)

    @admin.display(description="Confidence")
    def from_to(self, revision: OpinionRevision) -> str:
        if revision.confidence_before is None:
            return f"{revision.confidence_after:.2f}"
        return f"{revision.confidence_before:.2f} → {revision.confidence_after:.2f}"

    @admin.display(description="Opinion")
    def opinion_page(self, revision: OpinionRevision) -> str:
        return link_to_id("reflection.opinion", revision.opinion_id, shorten(revision.text_after))

    @admin.display(description="Evidence")
    def all_evidence(self, revision: OpinionRevision) -> str:
        """The present texts; the opinion's page has the former ones. A withdrawing revision shows the lost evidence."""
        shown = Q(bears=True) | Q(revision__cause=OpinionRevision.Cause.WITHDRAWN)
        rows = RevisionEvidence.objects.using(PLATFORM).filter(shown, revision=revision).select_related("fact")
        facts = [row.fact for row in rows.defer("fact__embedding", "fact__second_embedding").order_by("id") if row.fact]
        lines = ((link_to_id("banks.memoryunit", fact.pk, shorten(fact.text)),) for fact in facts)
        return format_html_join("\n", "{}", lines) or "-"

    readonly_fields = ("opinion_page", "all_evidence")
    fieldsets = (
        (None, {"fields": ("opinion_page", "number", "cause", "actor", "created_at", "bank", "tenant")}),
        ("Change", {"fields": ("confidence_before", "confidence_after", "text_before", "text_after")}),
        ("Reasons", {"fields": ("all_evidence", "step", "reasoning", "withdrawn")}),
    )


@admin.register(BackgroundRevision)
class BackgroundRevisionAdmin(MemoryAdmin):
    list_display = ("became", "number", "engine", "actor", "in_bank", "in_tenant", "created_at")
    search_help_text = "An id."

    @admin.display(description="Background")
    def became(self, revision: BackgroundRevision) -> str:
        return shorten(revision.after)


@admin.register(RetentionRule)
class RetentionRuleAdmin(MemoryAdmin):
    list_display = ("name", "network", "tag", "days", "action", "enabled", "in_bank", "in_tenant", "applied_at")
    list_filter = (("enabled", BooleanRadioFilter), *OWNER_FILTERS)
    search_help_text = "An id."


@admin.register(Directive)
class DirectiveAdmin(MemoryAdmin):
    list_display = ("name", "says", "priority", "is_active", "in_bank", "in_tenant", "updated_at")
    list_filter = (("is_active", BooleanRadioFilter), *OWNER_FILTERS)
    search_help_text = "An id."

    @admin.display(description="Content")
    def says(self, directive: Directive) -> str:
        return shorten(directive.content)


@admin.register(MentalModel)
class MentalModelAdmin(MemoryAdmin):
    list_display = ("name", "asks", "revision", "in_bank", "in_tenant", "refreshed_at", "failed_at")
    search_help_text = "An id."

    @admin.display(description="Question")
    def asks(self, model: MentalModel) -> str:
        return shorten(model.source_query)


@admin.register(MentalModelRevision)
class MentalModelRevisionAdmin(MemoryAdmin):
    list_display = ("says", "number", "engine", "withdrawn", "in_bank", "in_tenant", "created_at")
    search_help_text = "An id."

    @admin.display(description="Content")
    def says(self, revision: MentalModelRevision) -> str:
        return shorten(revision.content)
