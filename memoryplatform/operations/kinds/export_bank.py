"""An export that is asked for as an operation, by clients that fetch the file when it is done."""

from typing import Any
from urllib.parse import quote

from memoryplatform.operations.running.bank_of_run import load_bank
from memoryplatform.operations.running.kind_names import EXPORT_BANK
from memoryplatform.operations.running.registry import operation_kind
from memoryplatform.operations.running.run import Run

FOLDER = "banks"


@operation_kind(EXPORT_BANK, queue="background")
def export_bank(run: Run) -> dict[str, Any]:
    """Nothing is written in advance: no file of a bank lies about that nobody fetches, or that outlives the bank."""
    bank = load_bank(run)
    key = f"{FOLDER}/{bank.bank_id}"
    address = f"/v1/default/files/download/{quote(key)}"
    result = {"storage_key": key, "download_url": address, "filename": f"{bank.bank_id}.jsonl"}
    with run.transaction() as operation:
        run.complete(operation, result)
    return result
