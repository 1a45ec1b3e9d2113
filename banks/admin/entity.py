from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from unfold.contrib.filters.admin import ChoicesDropdownFilter

from banks.admin.memory_admin import WHOSE, MemoryAdmin, parse_id, shorten
from banks.admin.whose import find_banks
from banks.entities.names.normalise import normalise_name
from banks.models import Corpus, Entity, EntityName, Relationship
from tenants.platform_admin import PLATFORM


@admin.register(Entity)
class EntityAdmin(MemoryAdmin):
    list_display = ("name", "kind", "in_bank", "whose", "mention_count", "is_speaker", "last_seen_at")
    list_filter = (("kind", ChoicesDropdownFilter), *WHOSE)
    search_help_text = "An id, or a whole name or alias."

    def match(self, request: HttpRequest, term: str) -> Q:
        if parse_id(term) is not None:
            return super().match(request, term)
        names = EntityName.objects.using(PLATFORM).filter(bank_id__in=find_banks(request).values("id"))
        return Q(pk__in=names.filter(normalised_name=normalise_name(term)).values("entity_id"))


@admin.register(Relationship)
class RelationshipAdmin(MemoryAdmin):
    corpus = Corpus.RELATIONSHIP
    list_display = ("said", "relation", "in_bank", "whose", "mentioned_at", "is_current")

    @admin.display(description="Text")
    def said(self, relationship: Relationship) -> str:
        return shorten(relationship.text)

    @admin.display(description="Held now", boolean=True)
    def is_current(self, relationship: Relationship) -> bool:
        return relationship.expired_at is None
