"""Which rows make up a bank, in the order in which they can be written: what is pointed at comes first.

Left out: the text index, which is made anew; logs of recalls; answers of models that were kept for retries.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pgvector.django import VectorField

from banks.models import (
    Bank,
    Chunk,
    ChunkPart,
    CoOccurrence,
    Document,
    Entity,
    EntityKey,
    EntityName,
    Episode,
    Link,
    MemoryUnit,
    Mention,
    Message,
    Relationship,
    RelationshipSource,
    UnitChange,
    UnitMetadata,
    UnitSource,
    UnitTag,
)
from memoryplatform.operations.transfer.values import Field
from reflection.mental_models.trigger import check_trigger
from reflection.models import (
    BackgroundRevision,
    Directive,
    MentalModel,
    MentalModelRevision,
    MentalModelSource,
    ObservedEntity,
    ObservedScope,
    OpinionRevision,
    RetentionRule,
    RevisionEvidence,
)
from retrieval.models import ChannelWeights, Feedback
from tenants.scoping import TenantOwned

NEVER = frozenset({"tenant", "bank", "bank_id", "number"})  # whose it is, and its place in the text index


@dataclass(frozen=True)
class Table:
    """`bank` is the way from a row to its bank. `later` names the columns that point at rows of the same table.

    `keeps_number`: a column of that name that is no place in the text index. `gone` are columns that older files still
    have, `came` those that they have not yet, with the value of their rows. `checks`, by the name of a column, raise
    ValueError for JSON that the database would take and we could not read.
    """

    name: str
    model: type[TenantOwned]
    bank: str = "bank_id"
    later: str = ""
    keeps_number: bool = False
    gone: frozenset[str] = frozenset()
    came: Mapping[str, Any] = field(default_factory=dict)
    checks: Mapping[str, Callable[[Any], object]] = field(default_factory=dict)

    @property
    def db_table(self) -> str:
        return str(self.model._meta.db_table)

    @property
    def has_bank_column(self) -> bool:
        return self.bank == "bank_id"

    def fields(self, *, vectors: bool) -> dict[str, Field]:
        """By their names in the file, which are those of the columns."""
        return {
            str(field.column): field
            for field in self.model._meta.local_concrete_fields
            if self._is_written(field) and (vectors or not isinstance(field, VectorField))
        }

    def _is_written(self, field: Field) -> bool:
        if field.name == "number":
            return self.keeps_number
        return field.name not in NEVER and field.name != self.later


TABLES = (
    Table("document", Document),
    Table("episode", Episode, later="previous"),
    Table("message", Message, gone=frozenset({"document_id"})),
    Table("chunk", Chunk, came={"stands_alone": True, "context": ""}),
    Table("chunk_part", ChunkPart, "chunk__bank_id"),
    Table("entity", Entity),
    Table("entity_name", EntityName),
    Table("entity_key", EntityKey),
    Table("unit", MemoryUnit, later="superseded_by", came={"tags_hash": "", "announced_at": None}),
    Table("unit_source", UnitSource, "unit__bank_id"),
    Table("unit_tag", UnitTag),
    Table("unit_metadata", UnitMetadata),
    Table("unit_change", UnitChange, "unit__bank_id"),
    Table("link", Link, "source__bank_id"),
    Table("mention", Mention, "unit__bank_id"),
    Table("co_occurrence", CoOccurrence, "first__bank_id"),
    Table("relationship", Relationship, later="superseded_by", came={"announced_at": None}),
    Table("relationship_source", RelationshipSource, "relationship__bank_id"),
    Table("opinion_revision", OpinionRevision, keeps_number=True),
    Table("revision_evidence", RevisionEvidence),
    Table("background_revision", BackgroundRevision, keeps_number=True),
    Table("observed_entity", ObservedEntity, gone=frozenset({"seen_until", "facts"})),
    Table("observed_scope", ObservedScope),
    Table("retention_rule", RetentionRule),
    Table("directive", Directive),
    Table("mental_model", MentalModel, checks={"trigger": check_trigger}),
    Table("mental_model_revision", MentalModelRevision, keeps_number=True),
    Table("mental_model_source", MentalModelSource),
    Table("channel_weights", ChannelWeights),
    Table("feedback", Feedback),
)
BY_NAME = {table.name: table for table in TABLES}
# Rows of one table that point at each other are joined after all of them are there.
LATER = {f"{table.name}_{table.later}": table for table in TABLES if table.later}
OF_BANKS = {table.name: table for table in TABLES if table.has_bank_column}


def count_rows(bank: Bank) -> dict[str, int]:
    """Of each type that names its bank, where there are any. Call inside a tenant transaction."""
    counts = {
        name: table.model.objects.for_tenant(bank.tenant_id).filter(**{table.bank: bank.id}).count()
        for name, table in OF_BANKS.items()
    }
    return {name: number for name, number in counts.items() if number}
