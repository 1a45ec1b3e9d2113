"""`/v1/banks/{bank_id}/messages` and `/episodes`: the archived messages and their episodes."""

from functools import partial
from typing import Any
from uuid import UUID

from rest_framework import serializers
from rest_framework.response import Response

from banks.errors import EpisodeNotFound, MessageNotFound
from banks.models import Bank, Corpus, Episode, Message
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Output
from memoryplatform.api.v1 import lists
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.memories.memory_filter import check_episode
from tenants.scoping import TenantQuerySet


class MessageOutput(Output):
    id = serializers.UUIDField()
    thread = serializers.CharField()
    role = serializers.CharField()
    name = serializers.CharField(source="speaker")
    actor = serializers.CharField()
    content = serializers.CharField()
    timestamp = serializers.DateTimeField(source="said_at")
    episode_id = serializers.UUIDField(allow_null=True)
    recorded_at = serializers.DateTimeField()
    extracted_at = serializers.DateTimeField(allow_null=True, help_text="Null until its facts are extracted.")


class EpisodeOutput(Output):
    id = serializers.UUIDField()
    thread = serializers.CharField()
    narrative = serializers.CharField()
    previous_id = serializers.UUIDField(allow_null=True)
    message_count = serializers.IntegerField()
    started_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField()


class FoundEpisodeOutput(EpisodeOutput, lists.ScoredOutput):
    pass


class EpisodeDetailOutput(EpisodeOutput):
    messages = MessageOutput(many=True, help_text="In order of time.")


class ThreadInput(lists.ListInput):
    thread = serializers.CharField(max_length=200, required=False)


class EpisodeListInput(lists.SearchedListInput):
    thread = serializers.CharField(max_length=200, required=False)


class EpisodeMessagesInput(ThreadInput):
    episode_id = serializers.UUIDField(required=False)


class MessagesView(TenantView):
    @route("list_messages", "List messages, newest first", lists.list_of(MessageOutput), query=EpisodeMessagesInput)
    def get(self, bank_id: str, wanted: dict[str, Any]) -> object:
        with bank_transaction(self.access, bank_id) as bank:
            check_episode(bank, wanted.get("episode_id"))
            rows = Message.objects.for_tenant(self.tenant_id).filter(bank=bank)
            named = {name: wanted[name] for name in ("thread", "episode_id") if name in wanted}
            return lists.list_rows(rows.filter(**named), wanted, of=bank.id)


class MessageView(TenantView):
    @route("get_message", "Get a message", MessageOutput)
    def get(self, bank_id: str, message_id: UUID) -> object:
        with bank_transaction(self.access, bank_id) as bank:
            rows = Message.objects.for_tenant(self.tenant_id).filter(bank=bank)
            message = rows.filter(id=message_id).first()
        if message is None:
            raise MessageNotFound(message_id)
        return message


class EpisodesView(TenantView):
    @route(
        "list_episodes",
        "List episodes, newest first, or search them by their narrative",
        lists.list_of(FoundEpisodeOutput, "EpisodeListOutput"),
        query=EpisodeListInput,
    )
    def get(self, bank_id: str, wanted: dict[str, Any]) -> object:
        find = partial(find_episodes, thread=wanted.get("thread"))
        return lists.list_or_search(self.access, bank_id, find, Corpus.EPISODE, wanted)


def find_episodes(bank: Bank, *, thread: str | None) -> TenantQuerySet[Episode]:
    rows = Episode.objects.of_bank(bank).defer("embedding", "second_embedding", "centroid", "second_centroid")
    return rows if thread is None else rows.filter(thread=thread)


class EpisodeView(TenantView):
    @route("get_episode", "Get an episode with its messages", EpisodeDetailOutput)
    def get(self, bank_id: str, episode_id: UUID) -> object:
        with bank_transaction(self.access, bank_id) as bank:
            rows = Episode.objects.for_tenant(self.tenant_id).filter(bank=bank)
            episode = rows.filter(id=episode_id).first()
            if episode is None:
                raise EpisodeNotFound(episode_id)
            messages = Message.objects.for_tenant(self.tenant_id).filter(episode=episode).order_by("said_at", "id")
            shown = EpisodeOutput(episode).data | {"messages": MessageOutput(messages, many=True).data}
        return Response(shown)
