"""`/v1/banks/{bank_id}/messages` and `/episodes`: what was said, as it was said."""

from functools import partial
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.errors import EpisodeNotFound, MessageNotFound
from banks.models import Bank, Corpus, Episode, Message
from memoryplatform.api.schema import ERRORS
from memoryplatform.api.serializers import Output
from memoryplatform.api.v1.lists import (
    ListInput,
    ListOutput,
    ScoredOutput,
    SearchedListInput,
    list_or_search,
    list_rows,
    read_query,
)
from memoryplatform.api.views import TenantView
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.named_in_filters import check_episode
from tenants.scoping import TenantQuerySet
from tenants.transactions import tenant_transaction


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
    extracted_at = serializers.DateTimeField(allow_null=True, help_text="Null while its facts wait to be taken.")


class MessageListOutput(ListOutput):
    items = MessageOutput(many=True)


class EpisodeOutput(Output):
    id = serializers.UUIDField()
    thread = serializers.CharField()
    narrative = serializers.CharField()
    previous_id = serializers.UUIDField(allow_null=True)
    message_count = serializers.IntegerField()
    started_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField()


class FoundEpisodeOutput(EpisodeOutput, ScoredOutput):
    pass


class EpisodeListOutput(ListOutput):
    items = FoundEpisodeOutput(many=True)


class EpisodeDetailOutput(EpisodeOutput):
    messages = MessageOutput(many=True, help_text="In the order in which they were said.")


class ThreadInput(ListInput):
    thread = serializers.CharField(max_length=200, required=False)


class EpisodeListInput(SearchedListInput):
    thread = serializers.CharField(max_length=200, required=False)


class EpisodeMessagesInput(ThreadInput):
    episode_id = serializers.UUIDField(required=False)


class MessagesView(TenantView):
    @extend_schema(
        operation_id="list_messages",
        summary="List messages, newest first",
        parameters=[EpisodeMessagesInput],
        responses={200: MessageListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(request, EpisodeMessagesInput)
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            check_episode(bank, wanted.get("episode_id"))
            rows = Message.objects.for_tenant(self.tenant_id).filter(bank=bank)
            named = {name: wanted[name] for name in ("thread", "episode_id") if name in wanted}
            listed = list_rows(rows.filter(**named), wanted, of=bank.id)
            return Response(MessageListOutput(listed).data)


class MessageView(TenantView):
    @extend_schema(operation_id="get_message", summary="Get a message", responses={200: MessageOutput, **ERRORS})
    def get(self, _request: Request, bank_id: str, message_id: UUID) -> Response:
        with tenant_transaction(self.tenant_id):
            rows = Message.objects.for_tenant(self.tenant_id).filter(bank=get_bank(self.access, bank_id))
            message = rows.filter(id=message_id).first()
        if message is None:
            raise MessageNotFound(message_id)
        return Response(MessageOutput(message).data)


class EpisodesView(TenantView):
    @extend_schema(
        operation_id="list_episodes",
        summary="List episodes, newest first, or search them by their narrative",
        parameters=[EpisodeListInput],
        responses={200: EpisodeListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(request, EpisodeListInput)
        find = partial(find_episodes, thread=wanted.get("thread"))
        return Response(EpisodeListOutput(list_or_search(self.access, bank_id, find, Corpus.EPISODE, wanted)).data)


def find_episodes(bank: Bank, *, thread: str | None) -> TenantQuerySet[Episode]:
    rows = Episode.objects.of_bank(bank).defer("embedding", "centroid")
    return rows if thread is None else rows.filter(thread=thread)


class EpisodeView(TenantView):
    @extend_schema(
        operation_id="get_episode",
        summary="Get an episode with its messages",
        responses={200: EpisodeDetailOutput, **ERRORS},
    )
    def get(self, _request: Request, bank_id: str, episode_id: UUID) -> Response:
        with tenant_transaction(self.tenant_id):
            rows = Episode.objects.for_tenant(self.tenant_id).filter(bank=get_bank(self.access, bank_id))
            episode = rows.filter(id=episode_id).first()
            if episode is None:
                raise EpisodeNotFound(episode_id)
            messages = Message.objects.for_tenant(self.tenant_id).filter(episode=episode).order_by("said_at", "id")
            shown = EpisodeOutput(episode).data | {"messages": MessageOutput(messages, many=True).data}
        return Response(shown)
