"""`/files/retain`: the texts of uploaded files. PDF, Word (DOCX), HTML, Markdown and plain text are read."""

from dataclasses import replace
from typing import Any

import orjson
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request

from banks.retain.input import RetainItem
from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView, Unprocessable, read_body
from memoryplatform.api.compat.hindsight.memories import ITEM, translate_item
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.banks import check_bank_id
from memoryplatform.api.v1.fields import TagsField
from memoryplatform.api.v1.retain_items import build_item
from memoryplatform.operations.imports.documents import read_document
from memoryplatform.operations.imports.upload import UnreadableUpload
from memoryplatform.operations.retain import retain

MOST_FILES = 100


class FilesInput(Input):
    """`async` of Hindsight is left out: files are always retained in the background."""

    files_metadata = serializers.ListField(child=serializers.DictField(), required=False, default=list)
    document_tags = TagsField(required=False, default=list)


class HindsightFilesView(HindsightView):
    quotes_memories = False
    parser_classes = (MultiPartParser,)

    @idempotent
    def post(self, request: Request, bank_id: str) -> object:
        """One operation for each file, in the order of the files. A file that can't be read refuses the call."""
        check_bank_id(bank_id)
        files = request.FILES.getlist("files")
        if not 0 < len(files) <= MOST_FILES:
            raise serializers.ValidationError({"files": [f"Give 1 to {MOST_FILES} files."]})
        wanted = read_body(FilesInput, read_request(request.POST.get("request"))).validated_data
        about = wanted["files_metadata"]
        if about and len(about) != len(files):
            raise serializers.ValidationError({"files_metadata": ["Give one entry for each file, or none."]})
        items = [
            read_file(file.name or "", file.read(), about[place] if about else {}, wanted["document_tags"])
            for place, file in enumerate(files)
        ]
        operations = [retain(self.access, bank_id, [item], wait=False) for item in items]
        return {"operation_ids": [str(operation.id) for operation in operations]}


def read_request(given: Any) -> Any:
    """A form has the other fields as one text with JSON."""
    try:
        return orjson.loads(given) if given else {}
    except (orjson.JSONDecodeError, TypeError):
        raise serializers.ValidationError({"request": ["Must be JSON."]}) from None


def read_file(name: str, body: bytes, about: dict[str, Any], document_tags: list[str]) -> RetainItem:
    try:
        (read,) = read_document(name, body).items
    except UnreadableUpload as fault:
        raise Unprocessable(f"{name}: {fault}") from None
    given = {"content": read.text, "document_id": read.document_id, **about}
    item = build_item(ITEM.run_validation(translate_item(given | {"content": read.text}, document_tags)))
    return replace(item, metadata={"filename": name[:500], **item.metadata})
