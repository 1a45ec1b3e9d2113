import json
from typing import Any

import pytest

from reflection.reflect.notes import LONGEST_LOOK_UP, MOST_LOOK_UPS, CheckedNotes, NotesInvalid, parse_notes
from reflection.reflect.types import StructuredOutput

OPINION = {"text": "I think so", "confidence": 0.5, "evidence": [1, "[2]"]}


def test_a_fence_around_the_object_is_passed_over() -> None:
    notes = parse_notes(f"\n```json\n{json.dumps({'in_memory': False, 'opinions': [OPINION]})}\n```")
    assert (notes.in_memory, notes.opinions.items[0].evidence) == (False, [1, "[2]"])


@pytest.mark.parametrize("text", ["", "I have none.", "[1]", '{"opinions": [', "{}}", "{" * 5_000 + "}" * 5_000])
def test_notes_that_are_no_object_are_refused(text: str) -> None:
    with pytest.raises(NotesInvalid):
        parse_notes(text)


@pytest.mark.parametrize(
    "given", ["no list", {"text": "I think so"}, [{"text": "", "confidence": 0.5}], [{"text": "I think so"}], [3]]
)
def test_an_opinion_of_another_shape_is_counted_and_takes_no_other_with_it(given: Any) -> None:
    notes = parse_notes(json.dumps({"opinions": [OPINION, *given] if isinstance(given, list) else given}))
    assert notes.opinions.unreadable == 1
    assert len(notes.opinions.items) == (1 if isinstance(given, list) else 0)


def test_a_confidence_that_is_no_number_of_json_is_no_object() -> None:
    with pytest.raises(NotesInvalid):
        parse_notes('{"opinions": [{"text": "I think so", "confidence": NaN}]}')


def test_look_ups_are_few() -> None:
    notes = parse_notes(json.dumps({"lookups": [{"recall": "Lisbon"}, {"source": 3}] * 9}))
    checked = CheckedNotes(notes, StructuredOutput())
    assert len(checked.look_ups) == MOST_LOOK_UPS
    assert checked.skipped_look_ups == "Of the look-ups that the model asked for, 14 were too many."


@pytest.mark.parametrize(
    ("field", "given", "read"),
    [
        ("entities", None, []),
        ("entities", "Alice", ["Alice"]),
        ("entities", ["Alice", None, {"name": "Bob"}, 7], ["Alice", "7"]),
        ("reasoning", None, ""),
        ("reasoning", ["so", "it is"], "so, it is"),
        ("evidence", None, []),
        ("evidence", "1", ["1"]),
        ("evidence", 1, [1]),
        ("evidence", [1, None, "[2]", True, "", [3], 4.0, 4.5], [1, "[2]", 4]),
    ],
)
def test_a_field_of_another_shape_costs_the_field_and_not_the_opinion(field: str, given: Any, read: Any) -> None:
    notes = parse_notes(json.dumps({"opinions": [OPINION | {field: given}]}))
    assert notes.opinions.unreadable == 0
    assert getattr(notes.opinions.items[0], field) == read


@pytest.mark.parametrize(
    "given",
    [
        {"recall": None, "entity": "Bob", "source": None},
        {"recall": "", "entity": ["Bob"]},
        {"entity": "Bob", "recall": "none", "why": 3},
    ],
)
def test_a_look_up_with_empty_fields_beside_its_own_is_one(given: Any) -> None:
    for listed in ([given], given):
        (look_up,) = parse_notes(json.dumps({"lookups": listed})).look_ups.items
        assert (look_up.recall, look_up.entity, look_up.source) == ("", "Bob", "")


@pytest.mark.parametrize("given", [{}, {"recall": None}, "Lisbon", {"recall": "x" * (LONGEST_LOOK_UP + 1)}])
def test_an_unreadable_look_up_is_reported(given: Any) -> None:
    checked = CheckedNotes(parse_notes(json.dumps({"lookups": [given, {"source": 3}]})), StructuredOutput())
    assert [one.source for one in checked.look_ups] == ["3"]
    assert checked.skipped_look_ups == "Of the look-ups that the model asked for, 1 could not be read."


def test_a_structured_output_of_null_is_one() -> None:
    assert parse_notes('{"structured_output": null}').has_structured_output
    assert not parse_notes("{}").has_structured_output
