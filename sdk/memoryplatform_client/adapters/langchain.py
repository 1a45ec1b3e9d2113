"""A LangChain retriever over a bank. Needs the extra `langchain`."""

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field

from memoryplatform_client.client import MemoryClient
from memoryplatform_client.errors import BankNotFound
from memoryplatform_client.models.recall import RecallItem
from memoryplatform_client.options.recall import Include

ALL_FIELDS: Include = {"details": {}}


class MemoryRetriever(BaseRetriever):
    """`options`: options of a recall, such as `max_results`, `types` or `as_of`.

    The first retain creates the bank. Before that the retriever returns no documents and raises no error.
    """

    client: MemoryClient
    bank_id: str
    options: dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        try:
            recalled = self.client.recall(self.bank_id, query, **{"include": ALL_FIELDS, **self.options})
        except BankNotFound:
            return []
        return [build_document(one) for one in recalled.results]


def build_document(item: RecallItem) -> Document:
    """`score` is the relevance, by the name that LangChain's stores have for it."""
    described = item.model_dump(mode="json", exclude={"id", "text", "scores", "sources"}, exclude_none=True)
    return Document(page_content=item.text, id=str(item.id), metadata={**described, "score": item.relevance})
