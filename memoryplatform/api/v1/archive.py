"""`/v1/banks/{bank_id}/messages`, `/episodes`, `/documents`: what was said and written, as it was."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.models import Document, Episode, Message
from memoryplatform.api.pagination import PageInput, paginate
from memoryplatform.api.schema import ERRORS
from memoryplatform.api.serializers import Output
from memoryplatform.api.views import TenantView
from memoryplatform.operations.bank_profile import get_bank
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
    extracted_at = serializers.DateTimeField(allow_null=True, help_text="Null while its facts wait to be taken.")


class MessageListOutput(Output):
    messages = MessageOutput(many=True)
    next_cursor = serializers.UUIDField(allow_null=True)


class EpisodeOutput(Output):
    id = serializers.UUIDField()
    thread = serializers.CharField()
    narrative = serializers.CharField()
    previous_id = serializers.UUIDField(allow_null=True)
    message_count = serializers.IntegerField()
    started_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField()


class EpisodeListOutput(Output):
    episodes = EpisodeOutput(many=True)
    next_cursor = serializers.UUIDField(allow_null=True)


class DocumentOutput(Output):
    document_id = serializers.CharField()
    version = serializers.IntegerField()
    tags = serializers.ListField(child=serializers.CharField())
    metadata = serializers.DictField(child=serializers.CharField())
    timestamp = serializers.DateTimeField(source="said_at")
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class DocumentListOutput(Output):
    documents = DocumentOutput(many=True)
    next_cursor = serializers.UUIDField(allow_null=True)


class ThreadInput(PageInput):
    thread = serializers.CharField(max_length=200, required=False)


class EpisodeMessagesInput(ThreadInput):
    episode_id = serializers.UUIDField(required=False)


def list_rows(view: TenantView, request: Request, bank_id: str, model: Any, query: type[PageInput]) -> Any:
    """A page of a bank's rows, filtered by what else the query holds."""
    given = query(data=request.query_params.dict())
    given.is_valid(raise_exception=True)
    wanted = dict(given.validated_data)
    limit, cursor = wanted.pop("limit"), wanted.pop("cursor", None)
    with tenant_transaction(view.tenant_id):
        bank = get_bank(view.access, bank_id)
        return paginate(
            model.objects.for_tenant(view.tenant_id).filter(bank=bank, **wanted), limit=limit, cursor=cursor
        )


class MessagesView(TenantView):
    @extend_schema(
        operation_id="list_messages",
        summary="List messages, newest first",
        parameters=[EpisodeMessagesInput],
        responses={200: MessageListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        page = list_rows(self, request, bank_id, Message, EpisodeMessagesInput)
        return Response(MessageListOutput({"messages": page.rows, "next_cursor": page.next_cursor}).data)


class EpisodesView(TenantView):
    @extend_schema(
        operation_id="list_episodes",
        summary="List episodes, newest first",
        parameters=[ThreadInput],
        responses={200: EpisodeListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        page = list_rows(self, request, bank_id, Episode, ThreadInput)
        return Response(EpisodeListOutput({"episodes": page.rows, "next_cursor": page.next_cursor}).data)


class DocumentsView(TenantView):
    @extend_schema(
        operation_id="list_documents",
        summary="List documents, newest first",
        parameters=[PageInput],
        responses={200: DocumentListOutput, **ERRORS},
    )
    def get(self, request: Request, bank_id: str) -> Response:
        page = list_rows(self, request, bank_id, Document, PageInput)
        return Response(DocumentListOutput({"documents": page.rows, "next_cursor": page.next_cursor}).data)
