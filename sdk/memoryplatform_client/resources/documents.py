from typing import Unpack

from memoryplatform_client.calls import Call, fetch, reader, remove
from memoryplatform_client.identifiers import Id
from memoryplatform_client.models.documents import Chunk, ChunkDetail, Document, DocumentDeleted, DocumentDetail
from memoryplatform_client.options.lists import ListOptions
from memoryplatform_client.pages import Listing, list_of
from memoryplatform_client.routes import Resource, S_co, listed, route
from memoryplatform_client.wire import document_path, path_of


class Documents(Resource[S_co]):
    @listed
    def list(self, bank_id: str, **wanted: Unpack[ListOptions]) -> Listing[Document]:
        return list_of(path_of("banks", bank_id, "documents"), Document, wanted)

    @route
    def get(self, bank_id: str, document_id: str) -> Call[DocumentDetail]:
        return fetch(path_of("banks", bank_id, "documents") + document_path(document_id), reader(DocumentDetail))

    @route
    def delete(self, bank_id: str, document_id: str) -> Call[DocumentDeleted]:
        """Delete the document for good, with the memories that have no other source."""
        return remove(path_of("banks", bank_id, "documents") + document_path(document_id), reader(DocumentDeleted))

    @listed
    def chunks(self, bank_id: str, document_id: str, **wanted: Unpack[ListOptions]) -> Listing[Chunk]:
        path = path_of("banks", bank_id, "documents") + document_path(document_id) + "/chunks"
        return list_of(path, Chunk, wanted)

    @route
    def chunk(self, bank_id: str, chunk_id: Id) -> Call[ChunkDetail]:
        """A chunk of a document or of a conversation."""
        return fetch(path_of("banks", bank_id, "chunks", chunk_id), reader(ChunkDetail))
