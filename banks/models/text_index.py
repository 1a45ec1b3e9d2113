"""The inverted index behind BM25: for each word of a corpus the numbered texts that hold it, packed into blocks."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from banks.models.bank import Bank
from tenants.scoping import TenantManager, TenantOwned


class Corpus(models.TextChoices):
    """Texts that are ranked among each other: how rare a word is, is counted within one."""

    UNIT = "unit"
    CHUNK = "chunk"
    EPISODE = "episode"
    RELATIONSHIP = "relationship"


class CorpusStatistics(TenantOwned):
    """How many live texts a bank's corpus has, how long they are together, and which number the next one gets."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    corpus = models.CharField(max_length=12, choices=Corpus)
    texts = models.PositiveIntegerField(default=0)
    words = models.PositiveBigIntegerField(default=0)
    next_number = models.PositiveIntegerField(default=0, help_text="Never given twice, also after a deletion.")

    objects: ClassVar[TenantManager["CorpusStatistics"]] = TenantManager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["bank", "corpus"], name="corpus_statistics_once"),)

    def __str__(self) -> str:
        return f"{self.corpus}: {self.texts}"


class PostingBlock(TenantOwned):
    """Some of the texts that hold a lexeme, by their numbers. A row a word and text would take thirty times the room.

    A text that was superseded stays in the block, so that the past can be searched; `live` counts the others.
    """

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    corpus = models.CharField(max_length=12, choices=Corpus)
    lexeme = models.CharField(max_length=64)
    place = models.PositiveIntegerField(help_text="0, 1, 2...: the blocks of a lexeme in the order of their numbers.")
    postings = models.BinaryField(help_text="Number, frequency and text length, packed.")
    live = models.PositiveIntegerField(help_text="How many of its texts are not superseded.")

    objects: ClassVar[TenantManager["PostingBlock"]] = TenantManager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["bank", "corpus", "lexeme", "place"], name="posting_block_once"),
            models.CheckConstraint(condition=~Q(lexeme=""), name="posting_lexeme_named"),
        )

    def __str__(self) -> str:
        return f"{self.lexeme} #{self.place}"
