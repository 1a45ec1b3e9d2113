"""Retain, recall and reflect."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Unpack

from memoryplatform_client.calls import JSON, Call, ask, read_nothing, reader, submit, without_none
from memoryplatform_client.errors import OperationNotCompleted
from memoryplatform_client.limits import within
from memoryplatform_client.models.operations import FINISHED
from memoryplatform_client.models.recall import Recalled
from memoryplatform_client.models.reflect import Reflection
from memoryplatform_client.models.retain import DryRun, Retained
from memoryplatform_client.options.recall import RecallOptions, ReflectOptions, StreamOptions
from memoryplatform_client.options.retain import DryRunOptions, Item, RetainOptions
from memoryplatform_client.plans import Plan, perform
from memoryplatform_client.retries import RetryPolicy
from memoryplatform_client.routes import Resource, S_co, planned, route, streamed
from memoryplatform_client.waiting import LONGEST, wait_for
from memoryplatform_client.wire import encode_body, path_of

OF_THE_CALL = {"wait", "timeout", "idempotency_key"}


def retain_items(
    bank_id: str, items: Sequence[Mapping[str, Any]], *, wait: bool, idempotency_key: str | None
) -> Call[Retained]:
    fields = {"items": items, "async": not wait, "idempotency_key": idempotency_key}
    return submit(path_of("banks", bank_id, "memories"), reader(Retained), fields)


def see_through(call: Call[Retained], retry: RetryPolicy, *, wait: bool, timeout: float | None) -> Plan[Retained]:
    """Wait for a large retain, which the service answers with a running operation. A small one is already finished.

    A failed operation does not raise: its status says so, as in the response to a small retain.
    """
    retained = yield from perform(call, retry)
    if not wait or retained.status in FINISHED:
        return retained
    try:
        done = yield from wait_for(retained.operation_id, retry, within(timeout), on_progress=None)
    except OperationNotCompleted as failure:
        return retained.ended_as(failure.operation, {})
    return retained.ended_as(done, done.result or {})


class Verbs(Resource[S_co]):
    @planned
    def retain(self, bank_id: str, content: str | None = None, **options: Unpack[RetainOptions]) -> Plan[Retained]:
        """Retain a text, or `messages`, or `facts`. A missing bank is created.

        A text with a `document_id` replaces that document's earlier text. With `wait=False` the call returns at once;
        pass its `operation_id` to `operations.wait`. Raises WaitTimedOut if the memories of a large text take longer
        than `timeout`; the service continues to work on them.
        """
        item = {name: value for name, value in options.items() if name not in OF_THE_CALL}
        wait, key = options.get("wait", True), options.get("idempotency_key")
        call = retain_items(bank_id, [{**without_none(content=content), **item}], wait=wait, idempotency_key=key)
        return see_through(call, self._sender.retry, wait=wait, timeout=options.get("timeout", LONGEST))

    @planned
    def retain_batch(
        self,
        bank_id: str,
        items: Iterable[Item],
        *,
        wait: bool = True,
        timeout: float | None = LONGEST,
        idempotency_key: str | None = None,
    ) -> Plan[Retained]:
        """Retain up to 1,000 items. Each is accepted or refused separately: `item_errors` names the refused ones."""
        call = retain_items(bank_id, list(items), wait=wait, idempotency_key=idempotency_key)
        return see_through(call, self._sender.retry, wait=wait, timeout=timeout)

    @route
    def dry_run(self, bank_id: str, content: str | None = None, **options: Unpack[DryRunOptions]) -> Call[DryRun]:
        """The facts that `retain` would store. Nothing is stored, and a missing bank is not created."""
        item = {name: value for name, value in options.items() if name != "settings"}
        fields = {"items": [{**without_none(content=content), **item}], "dry_run": True}
        asked = fields | without_none(settings=options.get("settings"))
        return ask(path_of("banks", bank_id, "memories"), reader(DryRun), asked)

    @route
    def recall(self, bank_id: str, query: str, **options: Unpack[RecallOptions]) -> Call[Recalled]:
        path = path_of("banks", bank_id, "memories", "recall")
        return ask(path, reader(Recalled), {"query": query, **options})

    @route
    def recall_across(self, bank_ids: Sequence[str], query: str, **options: Unpack[RecallOptions]) -> Call[Recalled]:
        """Search several banks at once. Each result names its bank."""
        return ask("/recall", reader(Recalled), {"banks": bank_ids, "query": query, **options})

    @route
    def reflect(self, bank_id: str, query: str, **options: Unpack[ReflectOptions]) -> Call[Reflection]:
        """Answer a question in the agent's disposition, with cited memories."""
        return submit(path_of("banks", bank_id, "reflect"), reader(Reflection), {"query": query, **options})

    @streamed
    def stream_reflect(self, bank_id: str, query: str, **options: Unpack[StreamOptions]) -> Call[None]:
        """Reflect, and yield the answer as it is written.

        Close the generator to cancel. Nothing is stored before `OpinionsFormed`.
        """
        headers = {"Content-Type": JSON, "Accept": "text/event-stream"}
        content = encode_body({"query": query, "stream": True, **options})
        return Call("POST", path_of("banks", bank_id, "reflect"), read_nothing, content=content, headers=headers)
