from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest

from banks.admin.memory_admin import MemoryAdmin, parse_id, shorten
from banks.models import Corpus, Episode, Message


@admin.register(Message)
class MessageAdmin(MemoryAdmin):
    list_display = ("speaker", "role", "said", "thread", "in_bank", "whose", "said_at")
    search_help_text = "An id, or the whole name of a thread."

    def match(self, request: HttpRequest, term: str) -> Q:
        return super().match(request, term) if parse_id(term) is not None else Q(thread=term)

    @admin.display(description="Said")
    def said(self, message: Message) -> str:
        return shorten(message.content)


@admin.register(Episode)
class EpisodeAdmin(MemoryAdmin):
    corpus = Corpus.EPISODE
    list_display = ("told", "thread", "message_count", "in_bank", "whose", "started_at")

    @admin.display(description="Narrative")
    def told(self, episode: Episode) -> str:
        return shorten(episode.narrative) or str(episode)
