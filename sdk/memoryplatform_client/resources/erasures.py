"""Erasures with their receipts, and the legal hold that prevents them."""

from typing import Unpack

from memoryplatform_client.calls import JSON, Call, fetch, reader, remove, submit, tagged_reader
from memoryplatform_client.identifiers import Id
from memoryplatform_client.models.banks import Bank
from memoryplatform_client.models.erasures import Erasure, ErasurePreview
from memoryplatform_client.options.erasures import Target
from memoryplatform_client.options.lists import CursorOptions
from memoryplatform_client.pages import Listing, list_of
from memoryplatform_client.routes import Resource, S_co, listed, route
from memoryplatform_client.wire import encode_body, path_of


class Erasures(Resource[S_co]):
    @route
    def preview(self, target: Target, *, bank_id: str = "") -> Call[ErasurePreview]:
        """Show what an erasure would remove: counts by table, and samples."""
        return submit("/erasures", reader(ErasurePreview), {"bank_id": bank_id, "target": target, "dry_run": True})

    @route
    def request(self, target: Target, *, bank_id: str = "", idempotency_key: str | None = None) -> Call[Erasure]:
        """Erase a memory with its source words, a message, a thread, a document, an entity or a bank.

        Everything but a tenant needs `bank_id`. A tenant is erased by the session of an owner only.
        """
        given = {"bank_id": bank_id, "target": target, "idempotency_key": idempotency_key}
        return submit("/erasures", reader(Erasure), given)

    @route
    def get(self, erasure_id: Id) -> Call[Erasure]:
        """The receipt, once `status` is completed."""
        return fetch(path_of("erasures", erasure_id), reader(Erasure))

    @listed
    def list(self, **wanted: Unpack[CursorOptions]) -> Listing[Erasure]:
        return list_of("/erasures", Erasure, wanted, rows="erasures")

    @route
    def hold_bank(self, bank_id: str, reason: str) -> Call[Bank]:
        """Put a bank under legal hold. The key needs the scope admin."""
        path = path_of("banks", bank_id, "legal-hold")
        content = encode_body({"reason": reason})
        return Call("PUT", path, tagged_reader(Bank), content=content, headers={"Content-Type": JSON}, repeatable=True)

    @route
    def release_bank(self, bank_id: str) -> Call[Bank]:
        """Lift the legal hold. The key needs the scope admin."""
        return remove(path_of("banks", bank_id, "legal-hold"), tagged_reader(Bank))
