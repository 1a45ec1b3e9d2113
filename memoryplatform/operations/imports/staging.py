"""An upload between its preview and its import, and the start of the import.

The bytes lie encrypted in the cache for an hour, and no longer than until the import has begun. Nothing is written to a
disk or to the database.
"""

import zlib
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID, uuid4

from cryptography.fernet import InvalidToken
from django.core.cache import cache
from django.utils import timezone

from banks.models import Bank
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.errors import OperationNotFound
from memoryplatform.operations.idempotency import find_operation
from memoryplatform.operations.imports.formats import BANK, read_upload
from memoryplatform.operations.imports.upload import UnreadableUpload, Upload
from memoryplatform.operations.models import Operation
from memoryplatform.operations.retain import retain
from memoryplatform.operations.running.kind_names import IMPORT_BANK, RETAIN
from memoryplatform.operations.transfer.receive import import_part
from tenants.sealed_text import get_keys
from tenants.transactions import tenant_transaction

KEPT_FOR = timedelta(hours=1)
KINDS = (RETAIN, IMPORT_BANK)


class UploadGone(UnreadableUpload):
    """An hour is over, or the import has begun."""

    def __init__(self) -> None:
        super().__init__("This upload is no longer there: it is kept for an hour. Upload it again.")


@dataclass(frozen=True)
class StagedUpload:
    name: str
    body: bytes
    upload: Upload


def stage_upload(bank: Bank, name: str, body: bytes) -> UUID:
    """Reads the upload first: one that can't be read is not kept."""
    read_upload(name, body)
    upload_id = uuid4()
    sealed = get_keys().encrypt(zlib.compress(body, level=1))
    cache.set(name_key(bank, upload_id), (name, sealed), KEPT_FOR.total_seconds())
    return upload_id


def get_staged(bank: Bank, upload_id: UUID) -> StagedUpload:
    found = cache.get(name_key(bank, upload_id))
    if found is None:
        raise UploadGone
    name, sealed = found
    try:
        body = zlib.decompress(get_keys().decrypt(sealed))
    except (InvalidToken, zlib.error):
        raise UploadGone from None
    return StagedUpload(name, body, read_upload(name, body))


def discard_upload(bank: Bank, upload_id: UUID) -> None:
    cache.delete(name_key(bank, upload_id))


def name_key(bank: Bank, upload_id: UUID) -> str:
    """Another tenant or bank never finds it."""
    return f"upload:{bank.tenant_id}:{bank.id}:{upload_id}"


def start_import(access: BankAccess, bank: Bank, upload_id: UUID) -> Operation:
    """Submits the operation and forgets the upload. The second of two calls returns the operation of the first.

    Raises UploadGone, and what retain and the import of a bank raise; then the upload is still there.
    """
    key = f"upload:{upload_id}"
    try:
        staged = get_staged(bank, upload_id)
    except UploadGone:
        with tenant_transaction(access.tenant_id):
            if known := find_operation(access.tenant_id, RETAIN, key, now=timezone.now()):
                return known
        raise
    if staged.upload.format == BANK:
        operation = import_part(access, bank.bank_id, staged.body, first_line=1).operation
    else:
        operation = retain(access, bank.bank_id, staged.upload.items, wait=False, idempotency_key=key)
    discard_upload(bank, upload_id)
    return operation


def get_import(bank: Bank, operation_id: UUID) -> Operation:
    """Call inside a tenant transaction."""
    rows = Operation.objects.for_tenant(bank.tenant_id).filter(bank=bank, kind__in=KINDS)
    found = rows.filter(id=operation_id).first()
    if found is None:
        raise OperationNotFound("There is no such import.")
    return found
