from typing import ClassVar

from django.db import models
from pgvector.django import VectorField

from banks.models.bank import Bank
from banks.models.document import Document
from banks.models.episode import Episode
from banks.models.message import Message
from banks.models.of_bank import OfBankManager
from tenants.scoping import TenantManager, TenantOwned


class Chunk(TenantOwned):
    """The archive's retrieval unit: a piece of a document, or some turns of an episode, as they were."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    document = models.ForeignKey(
        Document, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    episode = models.ForeignKey(Episode, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    position = models.PositiveIntegerField(help_text="Its place in the document or episode.")
    start = models.PositiveIntegerField(default=0, help_text="First character in the document's text.")
    end = models.PositiveIntegerField(default=0)
    heading = models.CharField(max_length=200, blank=True, help_text="The date, for people and for the embedding.")
    context = models.TextField(
        blank=True,
        default="",
        db_default="",
        help_text="What the caller said of its conversation, for the embedding. A document's stands in its pieces.",
    )
    text = models.TextField()
    content_hash = models.BinaryField(max_length=32)
    embedding = VectorField(null=True)
    number = models.PositiveIntegerField(null=True, help_text="Its name in the text index; null until it is there.")
    said_at = models.DateTimeField()
    created_at = models.DateTimeField(auto_now_add=True)
    extracted_at = models.DateTimeField(null=True, help_text="When facts were taken from it; null while that waits.")
    stands_alone = models.BooleanField(
        default=True,
        db_default=True,
        help_text="May be found where no memory tells it. Not once a memory of it was deleted: that is not to return.",
    )

    objects: ClassVar[OfBankManager["Chunk"]] = OfBankManager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["bank", "number"], name="chunk_number_once"),)
        indexes = (models.Index(fields=["bank", "said_at"], name="chunk_of_bank"),)  # exact vector scans of a bank

    def __str__(self) -> str:
        return f"{self.position} {self.id}"


class ChunkPart(TenantOwned):
    """Which characters of which message stand where in a chunk."""

    chunk = models.ForeignKey(Chunk, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    message = models.ForeignKey(Message, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    message_start = models.PositiveIntegerField()
    message_end = models.PositiveIntegerField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()

    objects: ClassVar[TenantManager["ChunkPart"]] = TenantManager()

    def __str__(self) -> str:
        return f"{self.chunk_id}[{self.start}:{self.end}]"
