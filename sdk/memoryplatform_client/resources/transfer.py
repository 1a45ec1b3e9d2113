"""Export and import of a bank as JSON lines."""

from collections.abc import Iterable, Iterator
from itertools import islice
from uuid import uuid4

from memoryplatform_client.calls import KEY_HEADER, Call, read_nothing, reader
from memoryplatform_client.lines import cut_parts, split_banks, take_header
from memoryplatform_client.models.transfer import Imported
from memoryplatform_client.plans import Plan, perform
from memoryplatform_client.routes import Resource, S_co, line_by_line, planned, route
from memoryplatform_client.wire import encode_query, path_of

JSON_LINES = "application/x-ndjson"


def send_part(bank_id: str, lines: bytes, first_line: int, key: str | None) -> Call[Imported]:
    headers = {"Content-Type": JSON_LINES, KEY_HEADER: key or uuid4().hex}
    query = encode_query({"first_line": first_line})
    path = path_of("banks", bank_id, "import")
    return Call("POST", path, reader(Imported), query=query, content=lines, headers=headers, repeatable=True)


class Transfer(Resource[S_co]):
    @line_by_line
    def export(self, bank_id: str, *, vectors: bool = False) -> Call[None]:
        """The bank's whole content, line by line. Raises ConnectionFailed if the file arrives incomplete."""
        query = encode_query({"vectors": vectors})
        return Call("GET", path_of("banks", bank_id, "export"), read_nothing, query=query)

    @line_by_line
    def export_account(self, *, vectors: bool = False, first_bank: str | None = None) -> Call[None]:
        """All banks of the tenant, line by line. Raises ConnectionFailed if the file arrives incomplete: go on with
        the bank that it broke off in. The key needs the scope admin.
        """
        return Call(
            "GET", "/account/export", read_nothing, query=encode_query({"vectors": vectors, "first_bank": first_bank})
        )

    @route
    def import_part(
        self, bank_id: str, lines: bytes, *, first_line: int = 1, idempotency_key: str | None = None
    ) -> Call[Imported]:
        """Send some whole lines of a file. `load` sends a complete file."""
        return send_part(bank_id, lines, first_line, idempotency_key)

    @planned
    def load(self, bank_id: str, lines: Iterable[bytes | str]) -> Plan[Imported]:
        """Import a complete file, such as an open file or the lines of `export`, in as many requests as necessary.

        The header is sent first. The response names the line to continue with, so an interrupted import resumes after
        the lines that arrived. An operation then finishes the import: call `operations.wait` before you recall.
        """
        imported: Imported = yield from self._load(bank_id, iter(lines))
        return imported

    @planned
    def load_account(self, lines: Iterable[bytes | str]) -> Plan[dict[str, Imported]]:
        """Import the lines of `export_account`, bank by bank, each under its own id. Send them again after an
        interruption: banks and lines that arrived are passed over. Operations then finish the imports.
        """
        loaded = {}
        for bank_id, held in split_banks(iter(lines)):
            loaded[bank_id] = yield from self._load(bank_id, held)
        return loaded

    def _load(self, bank_id: str, rest: Iterator[bytes | str]) -> Plan[Imported]:
        header = take_header(rest)
        if header is None:
            raise ValueError("The file is empty.")
        imported = yield from perform(send_part(bank_id, header.body, 1, None), self._sender.retry)
        if imported.next_line is None:
            return imported
        wanted = islice(rest, max(0, imported.next_line - header.next_line), None)
        for part in cut_parts(wanted, first=max(imported.next_line, header.next_line)):
            call = send_part(bank_id, part.body, part.first_line, None)
            imported = yield from perform(call, self._sender.retry)
        return imported
