"""The inverted index behind BM25: for each lexeme of a corpus the numbered texts with it, packed into blocks."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from banks.models.bank import Bank
from tenants.scoping import TenantManager, TenantOwned


class Corpus(models.TextChoices):
    """Texts that are ranked together. The rarity of a word is counted within one corpus."""

    UNIT = "unit"
    CHUNK = "chunk"
    EPISODE = "episode"
    RELATIONSHIP = "relationship"


class CorpusStatistics(TenantOwned):
    """The number of live texts in a bank's corpus, their total length, and the next free number."""

    bank = models.ForeignKey(Bank, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    corpus = models.CharField(max_length=12, choices=Corpus)
    texts = models.PositiveIntegerField(default=0)
    words = models.PositiveBigIntegerField(default=0)
    next_number = models.PositiveIntegerField(
        default=0, help_text="A number is never used twice, also after a deletion."
    )

    objects: ClassVar[TenantManager["CorpusStatistics"]] = TenantManager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["bank", "corpus"], name="corpus_statistics_once"),)

    def __str__(self) -> str:
        return f"{self.corpus}: {self.texts}"


class PostingBlock(TenantOwned):
    """Some of the texts with a lexeme, by their numbers. A row for each word and text would need thirty times the room.

    A superseded text stays in the block, so that the past can be searched; `live` counts the others.
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
