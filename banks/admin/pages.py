"""The admin pages of banks, the archive, entities and memory units."""

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.utils.html import format_html_join
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from banks.admin.memory_admin import (
    OWNER_FILTERS,
    MemoryAdmin,
    find_banks,
    labelled,
    link_to,
    link_to_id,
    parse_id,
    shorten,
)
from banks.entities.names.normalise import normalise_name
from banks.models import (
    Bank,
    Corpus,
    Entity,
    EntityName,
    Episode,
    MemoryUnit,
    Mention,
    Message,
    Relationship,
    UnitChange,
    UnitSource,
    UnitTag,
)
from tenants.platform_admin import PLATFORM, ReadOnlyAdmin

MOST_SHOWN = 50
NETWORKS = {"world": "info", "experience": "success", "opinion": "warning", "observation": "primary"}


@admin.register(Bank)
class BankAdmin(ReadOnlyAdmin):
    list_display = (
        "bank_id",
        "name",
        "tenant",
        "embedding_model",
        "vector_change",
        "other_embedding_model",
        "created_at",
        "deleted_at",
    )
    list_select_related = ("tenant",)
    search_fields = ("bank_id", "name", "tenant__slug")
    ordering = ("-id",)


@admin.register(Message)
class MessageAdmin(MemoryAdmin):
    list_display = ("speaker", "role", "shown_text", "thread", "in_bank", "in_tenant", "said_at")
    search_help_text = "An id, or the whole name of a thread."

    def match(self, request: HttpRequest, term: str) -> Q:
        return super().match(request, term) if parse_id(term) is not None else Q(thread=term)

    @admin.display(description="Text")
    def shown_text(self, message: Message) -> str:
        return shorten(message.content)


@admin.register(Episode)
class EpisodeAdmin(MemoryAdmin):
    corpus = Corpus.EPISODE
    list_display = ("shown_narrative", "thread", "message_count", "in_bank", "in_tenant", "started_at")

    @admin.display(description="Narrative")
    def shown_narrative(self, episode: Episode) -> str:
        return shorten(episode.narrative) or str(episode)


@admin.register(Entity)
class EntityAdmin(MemoryAdmin):
    list_display = ("name", "kind", "in_bank", "in_tenant", "mention_count", "is_speaker", "last_seen_at")
    list_filter = (("kind", ChoicesDropdownFilter), *OWNER_FILTERS)
    search_help_text = "An id, or a whole name or alias."

    def match(self, request: HttpRequest, term: str) -> Q:
        if parse_id(term) is not None:
            return super().match(request, term)
        names = EntityName.objects.using(PLATFORM).filter(bank_id__in=find_banks(request).values("id"))
        return Q(pk__in=names.filter(normalised_name=normalise_name(term)).values("entity_id"))


@admin.register(Relationship)
class RelationshipAdmin(MemoryAdmin):
    corpus = Corpus.RELATIONSHIP
    list_display = ("shown_text", "relation", "in_bank", "in_tenant", "mentioned_at", "is_current")

    @admin.display(description="Text")
    def shown_text(self, relationship: Relationship) -> str:
        return shorten(relationship.text)

    @admin.display(description="Current", boolean=True)
    def is_current(self, relationship: Relationship) -> bool:
        return relationship.expired_at is None


@admin.register(MemoryUnit)
class UnitAdmin(MemoryAdmin):
    corpus = Corpus.UNIT
    list_display = ("shown_text", "in_network", "flags", "in_bank", "in_tenant", "mentioned_at", "is_current")
    list_filter = (("network", ChoicesDropdownFilter), *OWNER_FILTERS)
    readonly_fields = ("tags", "sources", "mentioned_entities", "changes")
    fieldsets = (
        (None, {"fields": ("text", "network", "kind", "confidence", "review", "tags", "flags", "bank", "tenant")}),
        ("Where it comes from", {"fields": ("sources", "mentioned_entities", "context", "dimensions", "changes")}),
        ("Times", {"fields": ("occurred_start", "occurred_end", "mentioned_at", "recorded_at", "updated_at")}),
        (
            "Validity",
            {"fields": ("valid_from", "valid_until", "superseded_by", "expired_at", "close_reason")},
        ),
        ("Ranking", {"fields": ("importance", "access_count", "proof_count", "faded_at")}),
    )

    @admin.display(description="Text")
    def shown_text(self, unit: MemoryUnit) -> str:
        return shorten(unit.rendered_text)

    @labelled("Network", NETWORKS)
    def in_network(self, unit: MemoryUnit) -> str:
        return unit.network

    @admin.display(description="Current", boolean=True)
    def is_current(self, unit: MemoryUnit) -> bool:
        return unit.expired_at is None

    @admin.display(description="Tags")
    def tags(self, unit: MemoryUnit) -> str:
        rows = UnitTag.objects.using(PLATFORM).filter(unit=unit).order_by("tag")
        return ", ".join(rows.values_list("tag", flat=True)) or "-"

    @admin.display(description="Sources")
    def sources(self, unit: MemoryUnit) -> str:
        found = UnitSource.objects.using(PLATFORM).filter(unit=unit).select_related("message", "other_unit", "chunk")
        rows = found.defer(
            "other_unit__embedding", "other_unit__second_embedding", "chunk__embedding", "chunk__second_embedding"
        ).order_by("id")[:MOST_SHOWN]
        return format_html_join("", "<p>{}: {}</p>", ((row.get_role_display(), describe_source(row)) for row in rows))

    @admin.display(description="Entities")
    def mentioned_entities(self, unit: MemoryUnit) -> str:
        mentions = Mention.objects.using(PLATFORM).filter(unit=unit).select_related("entity")
        rows = mentions.defer("entity__embedding", "entity__second_embedding").order_by("id")[:MOST_SHOWN]
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
        return link_to(source.other_unit, shorten(source.other_unit.rendered_text))
    if source.episode_id:
        return link_to_id("banks.episode", source.episode_id, "an episode")
    return shorten(source.chunk.text) if source.chunk else ""
