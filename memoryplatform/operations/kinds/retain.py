from typing import Any
from uuid import UUID

from banks.models import Bank
from banks.retain.conversation import Conversation, retain_conversation
from banks.retain.document import DocumentJob, retain_document
from banks.retain.instructions import Instructions
from banks.retain.tools import Retained, Tools
from banks.retain.types import EntityKind, FoundEntity, Mode
from memoryplatform.operations.engine_choice import choose_engine
from memoryplatform.operations.errors import PermanentFailure
from memoryplatform.operations.registry import operation_kind
from memoryplatform.operations.run import Run
from providers.registry import get_embedder
from providers.usage import Usage
from tenants.transactions import tenant_transaction


@operation_kind("retain", queue="ingest")
def retain(run: Run) -> dict[str, Any]:
    """Sources that were finished before a crash have nothing waiting and are passed over."""
    bank = load_bank(run)
    sources = run.payload["sources"]
    tools = Tools(choose_engine(run.tenant_id), get_embedder(), run.transaction)
    outcomes: list[Retained] = []
    for done, source in enumerate(sources):
        run.report("extracting", processed=done, total=len(sources))
        outcomes += retain_source(bank, source, tools)
    run.report("extracting", processed=len(sources), total=len(sources))
    return describe(outcomes, engine=tools.engine.name)


def load_bank(run: Run) -> Bank:
    with tenant_transaction(run.tenant_id):
        rows = Bank.objects.for_tenant(run.tenant_id).live()
        bank = rows.filter(id=run.bank_pk).first() if run.bank_pk else None
    if bank is None:
        raise PermanentFailure("The bank was deleted meanwhile.", code="bank_not_found")
    return bank


def retain_source(bank: Bank, source: dict[str, Any], tools: Tools) -> list[Retained]:
    instructions = Instructions(
        mode=Mode(bank.extraction_mode),
        infer=source["infer"],
        context=source["context"],
        tags=tuple(source["tags"]),
        metadata=source["metadata"],
        entities=tuple(FoundEntity(one["name"], EntityKind(one["kind"])) for one in source["entities"]),
    )
    if "document_pk" in source:
        return retain_document(DocumentJob(bank, UUID(source["document_pk"]), instructions), tools)
    ids = tuple(UUID(message_id) for message_id in source["message_ids"])
    return retain_conversation(Conversation(bank, source["thread"], ids, instructions), tools)


def describe(outcomes: list[Retained], *, engine: str) -> dict[str, Any]:
    """Visible where a passage failed: the others' facts stand. Where all failed, so did the operation."""
    errors = [outcome.error for outcome in outcomes if outcome.error]
    if errors and len(errors) == len(outcomes):
        raise PermanentFailure(errors[0], code="extraction_failed")
    units = [unit for outcome in outcomes for unit in outcome.units]
    usage = sum((outcome.usage for outcome in outcomes), Usage())
    return {
        "engine": engine,
        "unit_ids": [str(unit.id) for unit in units if unit.is_new],
        "proven_again": sum(not unit.is_new for unit in units),
        "errors": errors,
        "usage": {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens, "calls": usage.calls},
    }
