"""Hindsight's tools for documents and operations."""

from typing import Annotated, Any, Literal

from pydantic import Field

from memoryplatform.api.compat.hindsight.documents import HindsightDocumentsView, HindsightDocumentView
from memoryplatform.api.compat.hindsight.operations import HindsightOperationsView, HindsightOperationView
from memoryplatform.api.mcp.hindsight.tool import HindsightArguments, HindsightCall, Names, PageArguments, define_tool
from memoryplatform.api.mcp.tools.tool import Effect

RUNNING = "running"  # Hindsight's documentation names it so; its operations are `processing`


class DocumentListArguments(PageArguments):
    q: Annotated[str | None, Field(description="Letters of the id or the text.")] = None
    tags: Names = None


class DocumentArguments(HindsightArguments):
    document_id: str


class OperationListArguments(PageArguments):
    status: Literal["pending", "processing", "running", "completed", "failed", "cancelled"] | None = None
    active_only: Annotated[bool, Field(description="Only operations that are pending or processing.")] = False

    def given(self) -> dict[str, Any]:
        return super().given() | ({"status": "processing"} if self.status == RUNNING else {})


class OperationArguments(HindsightArguments):
    operation_id: str


@define_tool("List documents")
def list_documents(call: HindsightCall, arguments: DocumentListArguments) -> dict[str, Any]:
    """The documents of the bank, newest first."""
    return call.send_in_bank(HindsightDocumentsView, "GET", arguments.given())


@define_tool("Get a document")
def get_document(call: HindsightCall, arguments: DocumentArguments) -> dict[str, Any]:
    """One document with its text."""
    return call.send_in_bank(HindsightDocumentView, "GET", document_id=arguments.document_id)


@define_tool("Delete a document", scopes="write", effect=Effect.REMOVES)
def delete_document(call: HindsightCall, arguments: DocumentArguments) -> dict[str, Any]:
    """Delete a document and its memories for good."""
    return call.send_in_bank(HindsightDocumentView, "DELETE", document_id=arguments.document_id)


@define_tool("List operations")
def list_operations(call: HindsightCall, arguments: OperationListArguments) -> dict[str, Any]:
    """Background work of the bank, newest first."""
    return call.send_in_bank(HindsightOperationsView, "GET", arguments.given())


@define_tool("Get an operation")
def get_operation(call: HindsightCall, arguments: OperationArguments) -> dict[str, Any]:
    """The status of an operation, and its result."""
    return call.send_in_bank(HindsightOperationView, "GET", operation_id=arguments.operation_id)


@define_tool("Cancel an operation", scopes="write", effect=Effect.ADDS)
def cancel_operation(call: HindsightCall, arguments: OperationArguments) -> dict[str, Any]:
    """Cancel an operation that has not finished."""
    return call.send_in_bank(HindsightOperationView, "DELETE", operation_id=arguments.operation_id)


TOOLS = (list_documents, get_document, delete_document, list_operations, get_operation, cancel_operation)
