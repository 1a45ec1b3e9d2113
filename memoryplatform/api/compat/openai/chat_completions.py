"""`/v1/chat/completions` and `/v1/models` as OpenAI's clients call them: a proxy that adds memory to a model.

OpenAPI leaves these routes out, because their shapes are OpenAI's. Errors have OpenAI's shape too.
"""

from collections.abc import Callable, Generator, Mapping
from typing import Any, ClassVar

from django.http import StreamingHttpResponse
from rest_framework import serializers, status
from rest_framework.exceptions import AuthenticationFailed, NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.errors import handle_exception
from memoryplatform.api.idempotency import HEADER, check_key, fingerprint, idempotent_operation
from memoryplatform.api.json_format import FastJSONRenderer, write_json
from memoryplatform.api.serializers import check_json
from memoryplatform.api.views import TenantView
from memoryplatform.operations.account.own_llm import find_llm
from memoryplatform.operations.chat_completion import (
    CONFIGURED_MODEL,
    ChatRequest,
    NoLanguageModel,
    complete,
    open_stream,
    prepare_turn,
)
from memoryplatform.operations.idempotency import build_operation_key
from memoryplatform.server.event_stream import EventStreamRenderer, stream_events
from providers.llm.errors import LLMRefused
from providers.llm.protocol import Task
from tenants.bank_ids import WORDS, is_bank_id

BANK_HEADER = "X-Bank-Id"
THREAD_HEADER = "X-Thread-Id"
REQUEST_ID_HEADER = "X-Client-Request-Id"  # OpenAI's header for a caller's own id of a request
OPERATION_HEADER = "X-Operation-Id"
LONGEST_THREAD = 200
END = b"data: [DONE]\n\n"
# Refusals of the caller's request. Others, such as 401, are about the configured key of the endpoint.
PASSED_ON = (status.HTTP_400_BAD_REQUEST, status.HTTP_404_NOT_FOUND, status.HTTP_413_REQUEST_ENTITY_TOO_LARGE)
TYPES = {
    status.HTTP_401_UNAUTHORIZED: "authentication_error",
    status.HTTP_402_PAYMENT_REQUIRED: "insufficient_quota",
    status.HTTP_403_FORBIDDEN: "permission_error",
    status.HTTP_429_TOO_MANY_REQUESTS: "rate_limit_error",
}
NAME_A_BANK = f"Name the bank in the header {BANK_HEADER}, or use the base URL /v1/banks/<bank>."


def handle_openai_exception(error: Exception, context: dict[str, Any]) -> Response:
    """Converts our error response to OpenAI's shape. OpenAI answers every invalid request with 400."""
    response = handle_exception(error, context)
    message, code = response.data["detail"], response.data["code"]
    faults = response.data.get("errors") or [{}]
    if response.status_code == status.HTTP_422_UNPROCESSABLE_ENTITY:
        response.status_code = status.HTTP_400_BAD_REQUEST
    if isinstance(error, AuthenticationFailed):
        code = "invalid_api_key"
    if isinstance(error, LLMRefused) and error.status in PASSED_ON:
        response.status_code, message, code = error.status, error.detail or message, error.code or code
    if isinstance(error, NoLanguageModel):
        response.headers["X-Should-Retry"] = "false"  # OpenAI's clients retry every 503
    kind = "server_error" if response.status_code >= status.HTTP_500_INTERNAL_SERVER_ERROR else "invalid_request_error"
    response.data = {
        "error": {
            "message": message,
            "type": TYPES.get(response.status_code, kind),
            "param": faults[0].get("field") or None,
            "code": code,
        }
    }
    return response


class OpenAIView(TenantView):
    schema = None  # leaves the view out of OpenAPI
    renderer_classes = (FastJSONRenderer, EventStreamRenderer)

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], Any]:
        return handle_openai_exception

    def handle_exception(self, exc: Exception) -> Response:
        """An error before the stream begins is JSON, whatever the Accept header says."""
        response = super().handle_exception(exc)
        self.request.accepted_renderer, self.request.accepted_media_type = FastJSONRenderer(), "application/json"
        return response


class ChatCompletionsView(OpenAIView):
    scopes: ClassVar[dict[str, str]] = {"POST": "write read"}  # it retains, and the answer may quote memories

    def stores_nothing(self, request: Request) -> bool:
        """A repeated stream asks the model again. Its exchange is retained once."""
        return isinstance(request.data, dict) and request.data.get("stream") is True

    @idempotent_operation
    def post(self, request: Request, bank_id: str = "") -> Response | StreamingHttpResponse:
        body = check_body(request.data)
        bank_id = find_bank_id(self, request, bank_id)
        turn = prepare_turn(
            self.access, ChatRequest(bank_id, body, read_thread(request), find_retain_key(self, request))
        )
        if body.get("stream"):
            return stream_events(encode_chunks(open_stream(turn), request, body))
        answer, operation = complete(turn)
        return Response(answer, headers={OPERATION_HEADER: str(operation.id)} if operation else None)


class ModelsView(OpenAIView):
    def get(self, _request: Request, bank_id: str = "") -> Response:
        return Response({"object": "list", "data": list_models(self, bank_id)})


class ModelView(OpenAIView):
    def get(self, _request: Request, model: str, bank_id: str = "") -> Response:
        found = next((one for one in list_models(self, bank_id) if one["id"] == model), None)
        if found is None:
            raise NotFound(f"There is no model '{model}' here.")
        return Response(found)


def list_models(view: TenantView, bank_id: str) -> list[dict[str, Any]]:
    """The configured model by its own name and as `default`. Empty without one."""
    llm = find_llm(view.tenant_id, Task.REFLECT, bank_id=bank_id)
    owner = "tenant" if llm is not None and llm.service == "own_llm" else "service"
    names = [] if llm is None else [llm.model_id, CONFIGURED_MODEL]
    return [{"id": name, "object": "model", "created": 0, "owned_by": owner} for name in names]


def read_thread(request: Request) -> str:
    thread = request.headers.get(THREAD_HEADER, "").strip()
    if len(thread) > LONGEST_THREAD or not thread.isprintable():
        raise serializers.ValidationError({THREAD_HEADER: [f"Must be at most {LONGEST_THREAD} printable characters."]})
    return thread


def find_bank_id(view: TenantView, request: Request, bank_id: str) -> str:
    """The bank of the address, else of the header, else the only one that the key reaches.

    No bank can have an invalid id. Without the check here, the model would answer and the exchange would be lost.
    """
    named = bank_id or request.headers.get(BANK_HEADER, "").strip()
    if not named and view.identity.banks is not None and len(view.identity.banks) == 1:
        (named,) = view.identity.banks
    if not named:
        raise serializers.ValidationError({BANK_HEADER: [NAME_A_BANK]})
    if not is_bank_id(named):
        raise serializers.ValidationError({"bank_id" if bank_id else BANK_HEADER: [f"Must be {WORDS}."]})
    return named


def find_retain_key(view: TenantView, request: Request) -> str | None:
    """A repeated request with the same key or request id retains its exchange once."""
    given = request.headers.get(HEADER) or request.headers.get(REQUEST_ID_HEADER)
    return build_operation_key(check_key(given), fingerprint(request, view.identity.id)) if given else None


def check_body(body: Any) -> dict[str, Any]:
    """Only the fields that the proxy reads are checked. The endpoint checks the others."""
    if not isinstance(body, dict):
        raise serializers.ValidationError("The body must be a JSON object.")
    check_json(body)
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(one, Mapping) for one in messages):
        raise serializers.ValidationError({"messages": ["Must be a list of at least one message."]})
    if not isinstance(body.get("stream") or False, bool):
        raise serializers.ValidationError({"stream": ["Must be a boolean."]})
    return body


def encode_chunks(
    chunks: Generator[dict[str, Any], None, None], request: Request, body: Mapping[str, Any]
) -> Generator[bytes, None, None]:
    """Closing this generator closes the connection to the model. The usage is shown to a client that asks for it."""
    options = body.get("stream_options")
    shows_usage = isinstance(options, Mapping) and bool(options.get("include_usage"))
    try:
        for chunk in chunks:
            if not shows_usage and chunk.pop("usage", None) and not chunk.get("choices"):
                continue
            yield encode_chunk(chunk)
        yield END
    except Exception as error:  # noqa: BLE001  # the handler logs what is not expected; a status can't be sent any more
        yield encode_chunk(handle_openai_exception(error, {"request": request}).data)
    finally:
        chunks.close()


def encode_chunk(data: Mapping[str, Any]) -> bytes:
    """One line of data is always enough: our JSON has no line breaks."""
    return b"data: %s\n\n" % write_json(data)
