import json
from typing import Any

import pytest

from reflection.reflect.notes import MOST_LOOK_UPS, NotesInvalid, parse_notes

OPINION = {"text": "I think so", "confidence": 0.5, "evidence": [1, "[2]"]}


def test_a_fence_around_the_object_is_passed_over() -> None:
    notes = parse_notes(f"\n```json\n{json.dumps({'in_memory': False, 'opinions': [OPINION]})}\n```")
    assert (notes.in_memory, notes.opinions.read[0].evidence) == (False, [1, "[2]"])


@pytest.mark.parametrize("text", ["", "I have none.", "[1]", '{"opinions": [', "{}}", "{" * 5_000 + "}" * 5_000])
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(NotesInvalid):
        parse_notes(text)


@pytest.mark.parametrize(
    "given", ["no list", {"text": "I think so"}, [{"text": "", "confidence": 0.5}], [{"text": "I think so"}], [3]]
)
def test_an_opinion_of_another_shape_is_counted_and_takes_no_other_with_it(given: Any) -> None:
    notes = parse_notes(json.dumps({"opinions": [OPINION, *given] if isinstance(given, list) else given}))
    assert notes.opinions.unreadable == 1
    assert len(notes.opinions.read) == (1 if isinstance(given, list) else 0)


def test_a_confidence_that_is_no_number_of_json_is_no_object() -> None:
    with pytest.raises(NotesInvalid):
        parse_notes('{"opinions": [{"text": "I think so", "confidence": NaN}]}')


def test_look_ups_are_few() -> None:
    notes = parse_notes(json.dumps({"lookups": [{"recall": "Lisbon"}, {"source": 3}] * 9}))
    assert len(notes.look_ups) == MOST_LOOK_UPS


def test_a_structured_output_of_null_is_one() -> None:
    assert parse_notes('{"structured_output": null}').has_structured_output
    assert not parse_notes("{}").has_structured_output
