from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from banks.enums import EntityKind, Mode
from banks.extraction_settings import ExtractionSettings
from banks.lifecycle.deleting import Removed
from banks.models import Bank
from banks.retain.changes import MOST_CHANGES, list_changes
from banks.retain.conversations import Conversation, retain_conversation
from banks.retain.document_versions import DocumentVersion
from banks.retain.documents import retain_document
from banks.retain.input import Instructions
from banks.retain.post_retain import PostRetain, add_earlier_attempts
from banks.retain.ready_facts import FactsJob, read_payload, retain_facts
from banks.retain.tools import Retained, Tools
from banks.types import FoundEntity, Labels
from memoryplatform.operations.banks.embedding_model import fill_both_columns
from memoryplatform.operations.engine_choice import choose_engine
from memoryplatform.operations.errors import OperationError, PermanentFailure
from memoryplatform.operations.kinds.consolidate import submit_consolidation
from memoryplatform.operations.kinds.vector_index import ask_for_vector_index
from memoryplatform.operations.memories.after_deletion import follow_replacement
from memoryplatform.operations.memories.newest_metadata import keep_newest_metadata
from memoryplatform.operations.protection import flag_source
from memoryplatform.operations.running.kind_names import RETAIN
from memoryplatform.operations.running.registry import ends_with_its_bank, operation_kind
from memoryplatform.operations.running.run import Run, load_bank
from providers.registry import get_embedder
from providers.usage import Usage
from tenants.models import UsageRecord

IDS = frozenset({"thread", "message_ids", "document_pk", "version"})
CHANGE = frozenset({"change", "former_pk", "facts_added", "facts_removed"})  # of a document, for its history


@operation_kind(RETAIN, queue="ingest")
@ends_with_its_bank
def retain(run: Run) -> dict[str, Any]:
    """Sources that were finished before a crash have nothing waiting and are passed over."""
    bank = load_bank(run)
    sources = run.payload["sources"]
    run.spend(UsageRecord.Kind.RETAIN, Usage())
    tools = build_tools(run, bank)
    outcomes = retain_sources(run, bank, tools)
    run.spend(UsageRecord.Kind.RETAIN, fill_both_columns(bank, run.lease.operation_id))
    result = describe(outcomes, engine=tools.engine.name)
    result["notes"] += run.payload.get("notes", [])
    result["quarantined"] = run.payload.get("quarantined", [])
    with run.transaction() as operation:
        operation.payload = {"sources": [keep_ids(source) for source in sources]}
        if "metadata_rule" in run.payload and operation.started_at:
            keep_newest_metadata(bank, run.payload, since=operation.started_at)
        ask_for_vector_index(bank)
        post = gather_post_retain(run, bank, outcomes)
        submit_consolidation(bank, post, api_key_prefix=operation.api_key_prefix)
        result |= describe_changes(bank, post, since=operation.started_at or operation.created_at)
        run.complete(operation, result, stored_bytes=run.payload.get("bytes", 0))
    return result


def build_tools(run: Run, bank: Bank) -> Tools:
    engine = choose_engine(run.tenant_id)
    return Tools(
        engine,
        get_embedder(bank.embedding_model),
        run.transaction,
        removed=partial(follow_replacement, bank),
        step=lambda stage, done, total: run.report(stage, processed=done, total=total),
    )


def retain_sources(run: Run, bank: Bank, tools: Tools) -> list[Retained]:
    """One that fails takes no other with it: the rest is stored, and then the attempt fails for its sake.

    The next attempt passes over what is stored, so what follows from that is handed over now.
    """
    sources = run.payload["sources"]
    settings = bank.extraction_settings.change(run.payload.get("settings", {}))
    outcomes: list[Retained] = []
    failures: list[Exception] = []
    for done, source in enumerate(sources):
        run.report("extracting", processed=done, total=len(sources))
        try:
            with run.metered(UsageRecord.Kind.RETAIN):
                reporting = replace(
                    tools, report=build_report(run, done, len(sources)), removed=count_removed(source, tools)
                )
                retained = retain_source(bank, source, reporting, settings)
        except OperationError:
            raise
        except Exception as failure:  # noqa: BLE001  # whatever it is, it is raised when the others are done
            failures.append(failure)
        else:
            outcomes += retained
            stored = sum(unit.is_new for one in retained for unit in one.units)
            source["facts_added"] = stored
            run.spend(UsageRecord.Kind.RETAIN, sum_usage(retained), memories=stored)
        if source.get("flags"):
            with run.transaction():
                flag_source(bank, source)
    run.report("extracting", processed=len(sources) - len(failures), total=len(sources))
    if failures:
        with run.transaction() as operation:
            submit_consolidation(bank, PostRetain.of(outcomes), api_key_prefix=operation.api_key_prefix)
        raise failures[0]
    return outcomes


def gather_post_retain(run: Run, bank: Bank, outcomes: list[Retained]) -> PostRetain:
    """Call inside a tenant transaction."""
    post = PostRetain.of(outcomes)
    if run.attempt == 1:
        return post
    sources = run.payload["sources"]
    return add_earlier_attempts(
        bank,
        post,
        message_ids=[UUID(one) for source in sources for one in source.get("message_ids", ())],
        document_ids=[UUID(source["document_pk"]) for source in sources if "document_pk" in source],
    )


def sum_usage(outcomes: list[Retained]) -> Usage:
    return sum((outcome.usage for outcome in outcomes), Usage())


def build_report(run: Run, source: int, sources: int) -> Callable[[int, int], None]:
    """Progress counts sources, and within a source of several passages it counts passages."""
    stage = "extracting" if sources == 1 else f"extracting item {source + 1} of {sources}"

    def report(done: int, total: int) -> None:
        if sources == 1 or total > 1:
            run.report(stage, processed=done, total=total)

    return report


def keep_ids(source: dict[str, Any]) -> dict[str, Any]:
    """Keeps only ids and counts: the text is a memory now, and its deletion must not leave a copy in the payload."""
    kept = IDS | CHANGE if "document_pk" in source else IDS
    return {key: value for key, value in source.items() if key in kept}


def count_removed(source: dict[str, Any], tools: Tools) -> Callable[[Removed], None]:
    def note(removed: Removed) -> None:
        source["facts_removed"] = source.get("facts_removed", 0) + removed.units
        tools.removed(removed)

    return note


def retain_source(bank: Bank, source: dict[str, Any], tools: Tools, settings: ExtractionSettings) -> list[Retained]:
    """A document that was deleted meanwhile has only its ids left."""
    instructions = Instructions(
        mode=Mode(bank.extraction_mode),
        infer=source.get("infer", True),
        labels=Labels(source.get("context", ""), tuple(source.get("tags", ())), source.get("metadata", {})),
        entities=tuple(
            FoundEntity(one["name"], EntityKind(one["kind"]), is_stated=one.get("is_stated", False))
            for one in source.get("entities", ())
        ),
        settings=settings,
    )
    if "document_pk" in source:
        version = DocumentVersion(bank, UUID(source["document_pk"]), source["version"])
        if "fact_chunks" not in source:
            return retain_document(version, instructions, tools)
        chunks, dropped = read_payload(source["fact_chunks"]), tuple(map(UUID, source["dropped_chunks"]))
        return retain_facts(FactsJob(version, chunks, dropped, instructions), tools)
    ids = tuple(UUID(message_id) for message_id in source["message_ids"])
    return retain_conversation(Conversation(bank, source["thread"], ids, instructions), tools)


def describe_changes(bank: Bank, post: PostRetain, *, since: datetime) -> dict[str, Any]:
    changes = list_changes(bank, post, since=since)
    return {"changes": [one.write() for one in changes[:MOST_CHANGES]], "change_count": len(changes)}


def describe(outcomes: list[Retained], *, engine: str) -> dict[str, Any]:
    """Visible where a passage failed: the others' facts stand. Where all failed, so did the operation."""
    errors = [outcome.error for outcome in outcomes if outcome.error]
    units = [unit for outcome in outcomes for unit in outcome.units]
    if errors and len(errors) == len(outcomes) and not units:
        raise PermanentFailure(errors[0], code="extraction_failed")
    usage = sum_usage(outcomes)
    return {
        "engine": engine,
        "unit_ids": [str(unit.id) for unit in units if unit.is_new],
        "proven_again": sum(not unit.is_new for unit in units),
        "errors": errors,
        "notes": [outcome.note for outcome in outcomes if outcome.note],
        "usage": {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens, "calls": usage.calls},
    }
