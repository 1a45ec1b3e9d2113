"""A bank's own line: who the agent is. Its id and its embedding model are those of the bank that takes it in."""

from typing import Any

from banks.models import Bank
from memoryplatform.operations.transfer.identifiers import Renaming
from memoryplatform.operations.transfer.lengths import check_length
from memoryplatform.operations.transfer.values import Unfit, read_value, write_value

NAME = "bank"
FIELDS = {
    field.name: field
    for field in Bank._meta.local_concrete_fields
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
    }
}


def write_profile(bank: Bank) -> dict[str, Any]:
    return {name: write_value(field, getattr(bank, name)) for name, field in FIELDS.items()}


def read_profile(row: dict[str, Any], renaming: Renaming) -> dict[str, Any]:
    unknown = sorted(set(row) - set(FIELDS))
    if unknown:
        raise Unfit(f"has the unknown field '{unknown[0]}'")
    return {name: read_field(name, value, renaming) for name, value in row.items()}


def read_field(name: str, value: Any, renaming: Renaming) -> Any:
    try:
        check_length(NAME, name, value)
        return read_value(FIELDS[name], value, renaming)
    except Unfit as fault:
        raise Unfit(f"has a '{name}' that {fault}") from None
