from django.contrib import admin
from django.utils.html import format_html_join
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from banks.admin.labels import labelled
from banks.admin.memory_admin import WHOSE, MemoryAdmin, link_to, link_to_id, shorten
from banks.models import Corpus, MemoryUnit, Mention, UnitChange, UnitSource, UnitTag
from tenants.platform_admin import PLATFORM

MOST_SHOWN = 50
NETWORKS = {"world": "info", "experience": "success", "opinion": "warning", "observation": "primary"}


@admin.register(MemoryUnit)
class UnitAdmin(MemoryAdmin):
    corpus = Corpus.UNIT
    list_display = ("said", "in_network", "in_bank", "whose", "mentioned_at", "is_current")
    list_filter = (("network", ChoicesDropdownFilter), *WHOSE)
    readonly_fields = ("tags", "rests_on", "speaks_of", "changes")
    fieldsets = (
        (None, {"fields": ("text", "network", "kind", "confidence", "review", "tags", "bank", "tenant")}),
        ("Where it comes from", {"fields": ("rests_on", "speaks_of", "context", "dimensions", "changes")}),
        ("Times", {"fields": ("occurred_start", "occurred_end", "mentioned_at", "recorded_at", "updated_at")}),
        (
            "Validity",
            {"fields": ("valid_from", "valid_until", "announced_at", "superseded_by", "expired_at", "close_reason")},
        ),
        ("Ranking", {"fields": ("importance", "access_count", "proof_count", "faded_at")}),
    )

    @admin.display(description="Text")
    def said(self, unit: MemoryUnit) -> str:
        return shorten(unit.text)

    @labelled("Network", NETWORKS)
    def in_network(self, unit: MemoryUnit) -> str:
        return unit.network

    @admin.display(description="Held now", boolean=True)
    def is_current(self, unit: MemoryUnit) -> bool:
        return unit.expired_at is None

    @admin.display(description="Tags")
    def tags(self, unit: MemoryUnit) -> str:
        rows = UnitTag.objects.using(PLATFORM).filter(unit=unit).order_by("tag")
        return ", ".join(rows.values_list("tag", flat=True)) or "-"

    @admin.display(description="Rests on")
    def rests_on(self, unit: MemoryUnit) -> str:
        sources = UnitSource.objects.using(PLATFORM).filter(unit=unit).select_related("message", "other_unit", "chunk")
        rows = sources.defer("other_unit__embedding", "chunk__embedding").order_by("id")[:MOST_SHOWN]
        return format_html_join("", "<p>{}: {}</p>", ((row.get_role_display(), describe_source(row)) for row in rows))

    @admin.display(description="Speaks of")
    def speaks_of(self, unit: MemoryUnit) -> str:
        mentions = Mention.objects.using(PLATFORM).filter(unit=unit).select_related("entity")
        rows = mentions.defer("entity__embedding").order_by("id")[:MOST_SHOWN]
        return format_html_join(", ", "{}", ((link_to(row.entity, row.entity.name),) for row in rows))

    @admin.display(description="Changes")
    def changes(self, unit: MemoryUnit) -> str:
        rows = UnitChange.objects.using(PLATFORM).filter(unit=unit).order_by("-id")[:MOST_SHOWN]
        return format_html_join(
            "", "<p>{:%Y-%m-%d %H:%M} {} by {} {}</p>", ((r.changed_at, r.action, r.actor, r.reason) for r in rows)
        )


def describe_source(source: UnitSource) -> str:
    if source.message:
        return link_to(source.message, f"{source.message.speaker}: {shorten(source.message.content)}")
    if source.other_unit:
        return link_to(source.other_unit, shorten(source.other_unit.text))
    if source.episode_id:
        return link_to_id("banks.episode", source.episode_id, "an episode")
    return shorten(source.chunk.text) if source.chunk else ""
