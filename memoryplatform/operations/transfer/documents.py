"""An archive of chosen documents with their facts, in the form that `read_hindsight_archive` reads."""

import json
import zipfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from tempfile import TemporaryFile
from typing import IO, Any
from uuid import UUID

from django.utils import timezone
from rest_framework.utils.encoders import JSONEncoder

from banks.enums import FACTUAL
from banks.errors import DocumentNotFound, MemoryInvalid
from banks.models import Bank, Document, MemoryUnit, Mention, UnitSource
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.errors import OperationNotFound
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import EXPORT_BANK
from memoryplatform.operations.running.submit import submit

MOST_DOCUMENTS = 1_000
SCHEMA_VERSION = 2
DOCUMENTS = "documents"


def submit_documents_export(access: BankAccess, bank_id: str, document_ids: Sequence[str]) -> Operation:
    """All documents if no ids are given. The payload has keys: the callers' ids would outlive the documents."""
    with bank_transaction(access, bank_id) as bank:
        rows = Document.objects.of_bank(bank)
        if document_ids:
            rows = rows.filter(document_id__in=document_ids)
        keys = dict(rows.order_by("id").values_list("document_id", "id")[: MOST_DOCUMENTS + 1])
        if missing := [one for one in document_ids if one not in keys]:
            raise DocumentNotFound(missing[0])
        if len(keys) > MOST_DOCUMENTS:
            raise MemoryInvalid(f"An archive has at most {MOST_DOCUMENTS} documents: name them, or export the bank.")
        payload = {DOCUMENTS: [str(key) for key in keys.values()]}
        return submit(access.tenant_id, EXPORT_BANK, payload=payload, bank=bank)


def write_archive(access: BankAccess, bank_id: str, operation_id: UUID) -> IO[bytes]:
    """The present contents of the documents that the operation names. Those that were deleted since are left out.

    The caller closes the file.
    """
    with bank_transaction(access, bank_id) as bank:
        operation = Operation.objects.for_tenant(access.tenant_id).filter(
            id=operation_id, kind=EXPORT_BANK, bank=bank, payload__has_key=DOCUMENTS
        )
        found = operation.first()
        if found is None:
            raise OperationNotFound("There is no such export.")
        file = TemporaryFile()  # noqa: SIM115  # the response reads it
        rows = Document.objects.of_bank(bank).filter(id__in=found.payload[DOCUMENTS]).order_by("id")
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            manifest = {"schema_version": SCHEMA_VERSION, "bank_id": bank_id, "exported_at": timezone.now()}
            archive.writestr("manifest.json", write_json(manifest))
            for number, document in enumerate(rows.iterator(chunk_size=20)):
                archive.writestr(f"{DOCUMENTS}/{number:06d}.json", write_json(describe(bank, document)))
        access.record("bank.exported", f"bank:{bank_id}")
    file.seek(0)
    return file


def write_json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, cls=JSONEncoder, ensure_ascii=False)


def describe(bank: Bank, document: Document) -> dict[str, Any]:
    return {
        "id": document.document_id,
        "original_text": document.text,
        "tags": document.tags,
        "metadata": document.metadata,
        "created_at": document.said_at,
        "facts": describe_facts(bank, document),
    }


def describe_facts(bank: Bank, document: Document) -> list[dict[str, Any]]:
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(chunk__document=document)
    current = MemoryUnit.objects.of_bank(bank).current()
    units = list(current.filter(id__in=sources.values("unit_id"), network__in=FACTUAL).order_by("id"))
    names: dict[UUID, list[str]] = defaultdict(list)
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit__in=units).order_by("id")
    for unit_id, name in mentions.values_list("unit_id", "entity__name"):
        names[unit_id].append(name)
    return [
        {
            "text": unit.rendered_text,
            "fact_type": unit.network,
            "mentioned_at": unit.mentioned_at,
            "occurred_start": unit.occurred_start,
            "occurred_end": unit.occurred_end,
            "entities": names[unit.id],
        }
        for unit in units
    ]
