"""The profile and the tables of a bank in the order of an import: a row comes after the rows that it points at.

Not exported: the text index, which an import builds again; the log of recalls; cached answers of models. The bank id
and the embedding model stay those of the importing bank.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pgvector.django import VectorField

import banks.models as banks
import reflection.models as reflection
from banks.extraction_settings import CHECKS, ExtractionSettings
from banks.models.bank import CENTROID_COLUMNS, VECTOR_COLUMNS
from memoryplatform.operations.transfer.values import Field, IdRenaming, InvalidValue, read_value, write_value
from protection.modes import Protection
from providers.tokens import LONGEST_TOKEN
from reflection.mental_models import check_trigger
from reflection.models.mental_models import MOST_TOKENS
from reflection.opinions.claims import LONGEST_REASONING
from retrieval.models import Feedback
from tenants.scoping import TenantOwned

# The owner, the place in the text index, and the second column of vectors: a file has the vectors in use.
NOT_EXPORTED = frozenset({"tenant", "bank", "bank_id", "number", VECTOR_COLUMNS[1], CENTROID_COLUMNS[1]})
MEMORY = 100_000  # characters of a fact; the texts about it are shorter
SEARCH_TEXT = 2 * MEMORY  # a memory with names and dates, and the question that it answers
CONTEXT = 2_000
BACKGROUND = 100_000  # a request has at most 20,000, and merging adds to them
SNIPPET = 20_000
REASONING = 2 * LONGEST_REASONING  # a sentence of the service may follow the engine's
RULE = 10_000
QUESTION = 10_000
ANSWER = MOST_TOKENS * LONGEST_TOKEN
# Limits of texts whose columns have none: the limits of the API, or of the texts that the service writes. Messages and
# documents have no limit: a request limits them, and a document grows when text is added.
MAX_CHARACTERS: Mapping[tuple[str, str], int | None] = {
    ("bank", "background"): BACKGROUND,
    ("document", "text"): None,
    ("document", "context"): CONTEXT,
    ("episode", "narrative"): MEMORY,
    ("message", "content"): None,
    ("chunk", "context"): CONTEXT,
    ("chunk", "text"): MEMORY,
    ("chunk", "turns_before"): MEMORY,
    ("entity", "summary"): MEMORY,
    ("unit", "text"): MEMORY,
    ("unit", "context"): CONTEXT,
    ("unit", "search_text"): SEARCH_TEXT,
    ("relationship", "text"): MEMORY,
    ("opinion_revision", "text_before"): MEMORY,
    ("opinion_revision", "text_after"): MEMORY,
    ("opinion_revision", "reasoning"): REASONING,
    ("background_revision", "before"): BACKGROUND,
    ("background_revision", "after"): BACKGROUND,
    ("background_revision", "snippet"): SNIPPET,
    ("directive", "content"): RULE,
    ("mental_model", "source_query"): QUESTION,
    ("mental_model", "content"): ANSWER,
    ("mental_model_revision", "source_query"): QUESTION,
    ("mental_model_revision", "content"): ANSWER,
}


@dataclass(frozen=True)
class Table:
    """`bank_path` leads from a row to its bank. `self_reference` is a column that points at rows of the same table.

    `keeps_number`: the column `number` is no place in the text index. Older files have the columns in `removed`, which
    are ignored, and lack those in `added`, which get the value given here. `checks`, by column, raise ValueError for
    JSON that the database would take and the service could not read.
    """

    name: str
    model: type[TenantOwned]
    bank_path: str = "bank_id"
    self_reference: str = ""
    keeps_number: bool = False
    removed: frozenset[str] = frozenset()
    added: Mapping[str, Any] = field(default_factory=dict)
    checks: Mapping[str, Callable[[Any], object]] = field(default_factory=dict)

    @property
    def db_table(self) -> str:
        return str(self.model._meta.db_table)

    @property
    def has_bank_column(self) -> bool:
        return self.bank_path == "bank_id"

    @property
    def self_reference_column(self) -> str:
        return f"{self.self_reference}_id"

    def fields(self, *, vectors: bool) -> dict[str, Field]:
        """The exported columns by their names."""
        return {
            str(field.column): field
            for field in self.model._meta.local_concrete_fields
            if self._is_exported(field) and (vectors or not isinstance(field, VectorField))
        }

    def _is_exported(self, field: Field) -> bool:
        if field.name == "number":
            return self.keeps_number
        return field.name not in NOT_EXPORTED | self.removed and field.name != self.self_reference


SCHEDULED = frozenset({"announced_at"})  # of a scheduled end, which is a future valid_until alone
TABLES = (
    Table("document", banks.Document),
    Table("episode", banks.Episode, self_reference="previous"),
    Table("message", banks.Message, removed=frozenset({"document_id"})),
    Table("chunk", banks.Chunk, added={"stands_alone": True, "context": "", "flags": [], "turns_before": ""}),
    Table("chunk_part", banks.ChunkPart, "chunk__bank_id"),
    Table("entity", banks.Entity, added={"type": ""}),
    Table("entity_name", banks.EntityName),
    Table("entity_key", banks.EntityKey),
    Table(
        "unit",
        banks.MemoryUnit,
        self_reference="superseded_by",
        removed=SCHEDULED,
        added={"tags_hash": "", "speaker": "", "role": "", "search_text": "", "flags": []},
    ),
    Table("unit_source", banks.UnitSource, "unit__bank_id"),
    Table("unit_tag", banks.UnitTag),
    Table("unit_metadata", banks.UnitMetadata),
    Table("unit_change", banks.UnitChange, "unit__bank_id"),
    Table("link", banks.Link, "source__bank_id"),
    Table("mention", banks.Mention, "unit__bank_id"),
    Table("co_occurrence", banks.CoOccurrence, "first__bank_id"),
    Table("relationship", banks.Relationship, self_reference="superseded_by", removed=SCHEDULED),
    Table("relationship_source", banks.RelationshipSource, "relationship__bank_id"),
    Table("opinion_revision", reflection.OpinionRevision, keeps_number=True),
    Table("revision_evidence", reflection.RevisionEvidence),
    Table("background_revision", reflection.BackgroundRevision, keeps_number=True),
    Table("observed_entity", reflection.ObservedEntity, removed=frozenset({"seen_until", "facts"})),
    Table("observed_scope", reflection.ObservedScope),
    Table("retention_rule", reflection.RetentionRule),
    Table("directive", reflection.Directive),
    Table(
        "mental_model",
        reflection.MentalModel,
        removed=frozenset({"next_refresh_at"}),  # an import sets it anew
        checks={"trigger": check_trigger},
    ),
    Table("mental_model_revision", reflection.MentalModelRevision, keeps_number=True),
    Table("mental_model_source", reflection.MentalModelSource),
    Table("knowledge_node", reflection.KnowledgeNode, self_reference="parent"),
    Table("feedback", Feedback),
)
TABLES_BY_NAME = {table.name: table for table in TABLES}
# Set after all rows of the table are there.
SELF_REFERENCES = {f"{table.name}_{table.self_reference}": table for table in TABLES if table.self_reference}


BANK_TABLES = {table.name: table for table in TABLES if table.has_bank_column}
DROPPED = frozenset({"channel_weights"})  # types that older files hold and that are no longer stored


def name_columns(bank: banks.Bank) -> dict[str, str]:
    """The columns of the bank's vectors, by their names in a file."""
    return {columns[0]: columns[bank.vector_slot] for columns in (VECTOR_COLUMNS, CENTROID_COLUMNS)}


def count_rows(bank: banks.Bank) -> dict[str, int]:
    """The number of rows by type, for tables with a bank column and rows. Call inside a tenant transaction."""
    counts = {
        name: table.model.objects.for_tenant(bank.tenant_id).filter(**{table.bank_path: bank.id}).count()
        for name, table in BANK_TABLES.items()
    }
    return {name: number for name, number in counts.items() if number}


def check_length(kind: str, name: str, value: Any) -> None:
    """`kind` is the type of the line, `name` the name of the field."""
    longest = MAX_CHARACTERS.get((kind, name))
    if longest is not None and isinstance(value, str) and len(value) > longest:
        raise InvalidValue(f"must have at most {longest} characters")


PROFILE = "bank"
PROFILE_FIELDS = {
    field.name: field
    for field in banks.Bank._meta.local_concrete_fields
    if field.name
    in {
        "name",
        "background",
        "learns_background",
        "skepticism",
        "literalism",
        "empathy",
        "bias_strength",
        "opinion_step",
        "opinion_reach",
        "extraction_mode",
        *ExtractionSettings.names(),
        "protection",
        "hindsight_settings",
    }
}


def write_profile(bank: banks.Bank) -> dict[str, Any]:
    return {name: write_value(field, getattr(bank, name)) for name, field in PROFILE_FIELDS.items()}


def read_profile(row: dict[str, Any], renaming: IdRenaming) -> dict[str, Any]:
    unknown = sorted(set(row) - set(PROFILE_FIELDS))
    if unknown:
        raise InvalidValue(f"has the unknown field '{unknown[0]}'")
    return {name: read_field(name, value, renaming) for name, value in row.items()}


def check_protection(value: Any) -> None:
    try:
        Protection.read(value)
    except (ValueError, TypeError, KeyError):
        raise InvalidValue("is no protection of a bank") from None


def check_terms(name: str, value: Any) -> None:
    try:
        CHECKS[name](value)
    except ValueError as fault:
        raise InvalidValue(f"is refused: {fault}") from None


def check_object(value: Any) -> None:
    if not isinstance(value, dict):
        raise InvalidValue("is no object")


def read_field(name: str, value: Any, renaming: IdRenaming) -> Any:
    try:
        check_length(PROFILE, name, value)
        if name == "protection":
            check_protection(value)
        if name in CHECKS:
            check_terms(name, value)
        if name == "hindsight_settings":
            check_object(value)
        return read_value(PROFILE_FIELDS[name], value, renaming)
    except InvalidValue as fault:
        raise InvalidValue(f"has a '{name}' that {fault}") from None
