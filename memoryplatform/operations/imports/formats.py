"""Finds the format of an upload by its content, and reads it."""

from collections.abc import Mapping
from typing import Any

import orjson

from memoryplatform.operations.imports import conversations, documents, memories
from memoryplatform.operations.imports.upload import (
    UnreadableUpload,
    Upload,
    find_members,
    name_document,
    open_archive,
    read_json,
    read_member,
)
from memoryplatform.operations.imports.word_text import find_main_part
from memoryplatform.operations.transfer.errors import ImportInvalid
from memoryplatform.operations.transfer.export import FORMAT
from memoryplatform.operations.transfer.lines import END, ERROR, HEADER, read_lines

BANK = "bank"
FORMATS = {
    BANK: "Export of a bank",
    "mem0": "mem0 export",
    "hindsight": "Hindsight export",
    "chatgpt": "ChatGPT export",
    "locomo": "LoCoMo",
    "longmemeval": "LongMemEval",
    "messages": "Messages",
    "text": "Text",
    "markdown": "Markdown",
    "html": "Web page",
    "pdf": "PDF",
    "docx": "Word document",
}
LISTS = ("memories", "results", "items", "conversations", "messages")  # fields that hold the list of a file


def read_upload(name: str, body: bytes) -> Upload:
    """Raises UnreadableUpload with a text for the reader."""
    if not body.strip():
        raise UnreadableUpload("The file is empty.")
    if documents.is_pdf(name, body):
        upload = documents.read_pdf(body, name=name)
    elif body.startswith(documents.ARCHIVE_START):
        upload = read_archive(name, body)
    elif is_bank_export(body):
        upload = read_bank(body)
    elif name.lower().endswith((".json", ".jsonl")) or body.lstrip()[:1] in {b"{", b"["}:
        upload = read_structured(name, body)
    else:
        upload = documents.read_document(name, body)
    if not upload.items and upload.format != BANK:
        raise UnreadableUpload("There is nothing to import in this file.")
    return upload


def read_archive(name: str, body: bytes) -> Upload:
    archive = open_archive(body)
    if chats := next(find_members(archive, name="conversations.json"), None):
        return conversations.read_chatgpt(check_rows(read_json(read_member(archive, chats))))
    if "manifest.json" in archive.namelist():
        return memories.read_hindsight_archive(archive)
    if find_main_part(archive):
        return documents.read_docx(archive, name_document(name, body))
    raise UnreadableUpload(
        "This archive is neither an export of ChatGPT nor one of Hindsight nor a Word document. Unpack it first."
    )


def is_bank_export(body: bytes) -> bool:
    try:
        first = orjson.loads(body.lstrip().split(b"\n", 1)[0])
    except orjson.JSONDecodeError:
        return False
    return isinstance(first, dict) and first.get("type") == HEADER and FORMAT in str(first)


def read_bank(body: bytes) -> Upload:
    """Counts the lines. The import itself checks every row."""
    rows: dict[str, int] = {}
    is_whole = False
    try:
        for line in read_lines(body, first=1):
            if line.kind == ERROR:
                raise UnreadableUpload("The export broke off: this file is not whole.")
            is_whole = line.kind == END
            if line.kind not in {HEADER, END}:
                rows[line.kind] = rows.get(line.kind, 0) + 1
    except ImportInvalid as fault:
        raise UnreadableUpload(str(fault)) from None
    if not is_whole:
        raise UnreadableUpload("The end of this file is missing. Export the bank again.")
    warnings = ("It needs an empty bank, and brings the profile and the settings of the exported one.",)
    return Upload(BANK, warnings=warnings, rows=rows)


def read_structured(name: str, body: bytes) -> Upload:
    """JSON, or JSON lines with one object each. The fields of the first object tell the format."""
    data = read_json_or_lines(body)
    if isinstance(data, Mapping):
        data = next((data[field] for field in LISTS if isinstance(data.get(field), list)), [data])
    rows = check_rows(data)
    first = rows[0]
    if "mapping" in first:
        return conversations.read_chatgpt(rows)
    if isinstance(first.get("conversation"), Mapping):
        return conversations.read_locomo([row for row in rows if isinstance(row.get("conversation"), Mapping)])
    if "haystack_sessions" in first:
        return conversations.read_longmemeval([row for row in rows if isinstance(row.get("haystack_sessions"), list)])
    if "role" in first and "content" in first:
        return conversations.read_messages(rows, name=name_document(name, body))
    if "memory" in first:
        return memories.read_mem0(rows)
    if "text" in first and first.keys() & {"fact_type", "type", "mentioned_at"}:
        return memories.read_hindsight_list(rows)
    raise UnreadableUpload("This JSON has no known format. See the list of formats, or upload it as a text file.")


def read_json_or_lines(body: bytes) -> Any:
    try:
        return read_json(body)
    except UnreadableUpload:
        lines = [line for line in body.splitlines() if line.strip()]
        if len(lines) < 2 or not lines[0].rstrip().endswith(b"}"):  # noqa: PLR2004
            raise
        return [read_json(line) for line in lines]


def check_rows(data: object) -> list[Mapping[str, Any]]:
    """The objects of a list; anything else in it is left out."""
    rows = [row for row in data if isinstance(row, Mapping)] if isinstance(data, list) else []
    if not rows:
        raise UnreadableUpload("This JSON has no list of objects.")
    return rows
