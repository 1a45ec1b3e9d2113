"""Values in the address that can't be read. They do not filter, and every page says so in the same words."""

from collections.abc import Container, Mapping
from uuid import UUID

from django import forms
from django.http import QueryDict

LONGEST = 60  # characters of a value that are repeated


def write_fault(label: str, written: str) -> str:
    """`label` is the name of the filter on the page. `control_characters` shows a character that nobody sees."""
    return f"{label}: “{written[:LONGEST]}” can't be read, so it does not filter."


def read_id(written: str) -> UUID | None:
    try:
        return UUID(written)
    except ValueError:
        return None


def list_choice_faults(given: QueryDict, known: Mapping[str, tuple[str, Container[str]]]) -> list[str]:
    """`known` has the label and the possible values of each parameter."""
    return [
        write_fault(label, written)
        for name, (label, values) in known.items()
        if (written := given.get(name, "")).strip() and written not in values
    ]


def list_form_faults(form: forms.Form) -> list[str]:
    """A fault that belongs to no field has words of its own."""
    fields = [
        write_fault(str(form[name].label), str(form[name].value())) for name in form.errors if name in form.fields
    ]
    return [*fields, *map(str, form.non_field_errors())]
