"""How fast a bank with its vectors is exported, and imported as another bank."""

import time
from tempfile import TemporaryFile
from typing import Any

from benchmarks.options import Options
from benchmarks.scale.filling import Filler
from benchmarks.scale.material import Material
from benchmarks.tenant import make_bank, perform_now
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.kinds.transfer import cut
from memoryplatform.operations.transfer.export import write_lines
from memoryplatform.operations.transfer.receive import import_part


def measure_import(access: BankAccess, material: Material, options: Options) -> dict[str, Any]:
    """One client sends part after part. `index_seconds` is the work of the operation behind: word index and checks."""
    memories = options.scale.imports
    source = Filler(make_bank(access, "exported"), material.make())
    source.fill(memories, options)
    with TemporaryFile() as file:
        began = time.monotonic()
        file.writelines(write_lines(source.bank, vectors=True))
        exported = time.monotonic() - began
        file.seek(0)
        began = time.monotonic()
        for first_line, part in cut(file):
            received = import_part(access, "imported", part, first_line=first_line)
        stored = time.monotonic() - began
        began = time.monotonic()
        perform_now(access.tenant_id, received.operation.id)
        indexed = time.monotonic() - began
    return {
        "memories": memories,
        "rows": sum(received.rows.values()),
        "exported_a_second": memories / exported,
        "imported_a_second": memories / (stored + indexed),
        "store_seconds": stored,
        "index_seconds": indexed,
    }
