"""The archive: documents, messages in their episodes, and chunks."""

from datetime import datetime, timedelta, timezone
from typing import Any, ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from pgvector.django import VectorField

from banks.models.bank import Bank, HasVector
from banks.models.of_bank import OfBankManager
from tenants.scoping import TenantManager, TenantOwned


class Spoken(models.Model):
    """Something that was said or written, with the speaker's time zone: "today" depends on it."""

    said_at = models.DateTimeField()
    utc_offset = models.SmallIntegerField(default=0, help_text="The speaker's offset from UTC, in minutes.")

    class Meta:
        abstract = True

    @property
    def said_locally(self) -> datetime:
        return self.said_at.astimezone(timezone(timedelta(minutes=self.utc_offset)))


def find_utc_offset(moment: datetime) -> int:
    offset = moment.utcoffset() or timedelta()
    return round(offset.total_seconds() / 60)


class Document(Spoken, TenantOwned):
    """A source with an id from the caller. Sent again, it replaces its former text."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    document_id = models.CharField(max_length=500)
    text = models.TextField()
    content_hash = models.BinaryField(max_length=32)
    context = models.TextField(blank=True)
    tags = models.JSONField(default=list)
    metadata = models.JSONField(default=dict)
    pieces = models.JSONField(default=list, help_text="The start, date and labels of each appended part.")
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects: ClassVar[OfBankManager["Document"]] = OfBankManager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["bank", "document_id"], name="document_id_unique"),)

    def __str__(self) -> str:
        return self.document_id


class Episode(HasVector):
    """A run of messages on one topic. Facts are extracted from it, and it can be searched by itself."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    thread = models.CharField(max_length=200, blank=True)
    narrative = models.TextField(blank=True)
    centroid = VectorField(null=True, help_text="Mean of its turns' vectors, to compare new turns with.")
    second_centroid = VectorField(null=True, help_text="The same in the second column of vectors.")
    previous = models.ForeignKey("self", null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    number = models.PositiveIntegerField(null=True, help_text="Its number in the text index; null until it is indexed.")
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    message_count = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[OfBankManager["Episode"]] = OfBankManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["bank", "number"], name="episode_number_once"),
            models.CheckConstraint(
                condition=models.Q(ended_at__gte=models.F("started_at")), name="episode_start_first"
            ),
        )
        indexes = (models.Index(fields=["bank", "thread", "-ended_at"], name="episode_newest"),)  # which are open

    def __str__(self) -> str:
        return f"{self.thread} {self.started_at:%Y-%m-%d %H:%M}"

    def set_centroid(self, bank: Bank, vector: Any) -> None:
        self.centroid, self.second_centroid = (vector, None) if bank.vector_slot == 0 else (None, vector)


class Message(Spoken, TenantOwned):
    """One message of a conversation, unchanged. Append-only: the database refuses changes of its text."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    thread = models.CharField(max_length=200, blank=True, help_text="The caller's own name for the conversation.")
    role = models.CharField(max_length=10)
    speaker = models.CharField(max_length=200, help_text="The speaker's name in texts.")
    actor = models.CharField(max_length=200, blank=True, help_text="Which agent or user, by the caller's own id.")
    content = models.TextField()
    episode = models.ForeignKey(Episode, null=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    recorded_at = models.DateTimeField(auto_now_add=True)
    extracted_at = models.DateTimeField(null=True, help_text="When facts were extracted from it; null before that.")

    objects: ClassVar[OfBankManager["Message"]] = OfBankManager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=models.Q(role__in=["user", "assistant", "system", "tool"]), name="message_role_known"
            ),
        )
        indexes = (
            # the newest of a thread, where its open episodes are; the list route
            models.Index(fields=["bank", "thread", "-said_at", "-id"], name="message_in_thread"),
        )

    def __str__(self) -> str:
        return f"{self.role} {self.id}"


class Chunk(HasVector):
    """The archive's retrieval unit: a piece of a document, or some turns of an episode, unchanged."""

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
        help_text="The caller's context of the conversation, for the embedding. A document has it in its pieces.",
    )
    text = models.TextField()
    turns_before = models.TextField(
        blank=True,
        default="",
        db_default="",
        help_text="In a transcript: turns of earlier documents. BM25 reads them with the text; they are never shown.",
    )
    content_hash = models.BinaryField(max_length=32)
    number = models.PositiveIntegerField(null=True, help_text="Its number in the text index; null until it is indexed.")
    said_at = models.DateTimeField()
    created_at = models.DateTimeField(auto_now_add=True)
    extracted_at = models.DateTimeField(null=True, help_text="When facts were extracted from it; null before that.")
    stands_alone = models.BooleanField(
        default=True,
        db_default=True,
        help_text="A search may find it without a memory. False once one of its memories was deleted.",
    )

    flags = ArrayField(
        models.CharField(max_length=20),
        blank=True,
        default=list,
        db_default=[],
        help_text="Families of findings in its text: secrets, personal_data, instructions.",
    )

    objects: ClassVar[OfBankManager["Chunk"]] = OfBankManager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["bank", "number"], name="chunk_number_once"),)
        indexes = (models.Index(fields=["bank", "said_at"], name="chunk_of_bank"),)  # exact vector scans of a bank

    def __str__(self) -> str:
        return f"{self.position} {self.id}"


class ChunkPart(TenantOwned):
    """The place of some characters of a message in a chunk."""

    chunk = models.ForeignKey(Chunk, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    message = models.ForeignKey(Message, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+")
    message_start = models.PositiveIntegerField()
    message_end = models.PositiveIntegerField()
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()

    objects: ClassVar[TenantManager["ChunkPart"]] = TenantManager()

    def __str__(self) -> str:
        return f"{self.chunk_id}[{self.start}:{self.end}]"
