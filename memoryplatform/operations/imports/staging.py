"""An upload between its preview and its import, and the start of the import.

The bytes lie encrypted in the cache for an hour, and no longer than until the import has begun. Nothing is written to a
disk or to the database.
"""

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID, uuid4

from cryptography.fernet import InvalidToken
from django.core.cache import cache
from django.utils import timezone

from banks.models import Bank, Message
from banks.retain.input import GivenMessage, RetainItem
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
UPLOAD = "upload:"  # before the idempotency key of an import


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
    key = f"{UPLOAD}{upload_id}"
    with tenant_transaction(access.tenant_id):
        if known := find_operation(access.tenant_id, RETAIN, key, now=timezone.now()):
            return known  # before the messages are looked for: it has stored them
    staged = get_staged(bank, upload_id)
    if staged.upload.format == BANK:
        operation = import_part(access, bank.bank_id, staged.body, first_line=1).operation
    else:
        with tenant_transaction(access.tenant_id):
            fresh = leave_out_known(bank, staged.upload.items)
        if not fresh:
            raise UnreadableUpload("Everything in this file is in the bank already.")
        operation = retain(access, bank.bank_id, fresh, wait=False, idempotency_key=key)
    discard_upload(bank, upload_id)
    return operation


def is_of_upload(operation: Operation) -> bool:
    return operation.kind == RETAIN and (operation.idempotency_key or "").startswith(UPLOAD)


def leave_out_known(bank: Bank, items: Sequence[RetainItem]) -> list[RetainItem]:
    """Conversations without the messages that their threads hold already, so that a newer export adds what is new.

    A message is known by its role and words; one that was said twice is known twice. Call inside a tenant transaction.
    """
    threads = {item.thread for item in items if item.messages}
    rows = Message.objects.of_bank(bank).filter(thread__in=threads).values_list("thread", "role", "content")
    known = Counter(rows.iterator())
    fresh: list[RetainItem] = []
    for item in items:
        left: list[GivenMessage] = []
        for message in item.messages:
            said = (item.thread, message.role, message.content)
            if known[said]:
                known[said] -= 1
            else:
                left.append(message)
        if left or not item.messages:
            fresh.append(replace(item, messages=tuple(left)))
    return fresh


def get_import(bank: Bank, operation_id: UUID) -> Operation:
    """Call inside a tenant transaction."""
    rows = Operation.objects.for_tenant(bank.tenant_id).filter(bank=bank, kind__in=KINDS)
    found = rows.filter(id=operation_id).first()
    if found is None:
        raise OperationNotFound("There is no such import.")
    return found
