"""An invalid request gets a small answer in a short time, however many faults it has."""

import time
from typing import Any

import pytest
from rest_framework import serializers

from memoryplatform.api.errors import LONGEST_DETAIL, LONGEST_FIELD, LONGEST_MESSAGE
from memoryplatform.api.serializers import MOST_ENTRIES, MOST_FAULTS, Input, check_input
from tests.api.conftest import Caller
from tests.clock import holds_to_a_time

MANY = 200_000
SECONDS = 5.0  # the whole list took 8 on an idle machine


class TagsInput(Input):
    tags = serializers.ListField(child=serializers.CharField(), max_length=100, required=False)
    names = serializers.ListField(child=serializers.CharField(), required=False)
    metadata = serializers.DictField(child=serializers.CharField(), required=False)


def list_faults(given: Any) -> Any:
    with pytest.raises(serializers.ValidationError) as refused:
        check_input(TagsInput, given)
    return refused.value.detail


@holds_to_a_time
def test_many_unknown_fields_are_refused_with_the_first_of_them(call: Caller) -> None:
    call("GET", "/v1/banks")  # loads the routes
    began = time.monotonic()
    response = call("POST", "/v1/banks", {f"field{number:06}": 1 for number in range(MANY)})
    assert time.monotonic() - began < SECONDS
    assert (response.status_code, len(response.json()["errors"])) == (422, MOST_FAULTS)
    assert response.json()["errors"][0]["field"] == "field000000"
    assert response.json()["detail"].endswith(f"Only the first {MOST_FAULTS} faults are listed.")
    assert len(response.content) < 10_000


def test_as_many_faults_as_are_listed_need_no_such_sentence(call: Caller) -> None:
    response = call("POST", "/v1/banks", {f"field{number}": 1 for number in range(MOST_FAULTS)})
    assert len(response.json()["errors"]) == MOST_FAULTS
    assert "Only the first" not in response.json()["detail"]


def test_a_long_name_is_cut(call: Caller) -> None:
    response = call("POST", "/v1/banks", {"x" * 1_000_000: 1})
    (fault,) = response.json()["errors"]
    assert len(fault["field"]) == LONGEST_FIELD
    assert len(fault["message"]) <= LONGEST_MESSAGE
    twice = call("POST", "/v1/banks", b'{"%s": 1, "%s": 1}' % (b"x" * 100_000, b"x" * 100_000))
    assert (twice.status_code, len(twice.json()["detail"])) == (400, LONGEST_DETAIL)


@holds_to_a_time
def test_a_list_is_counted_before_its_entries_are_checked() -> None:
    began = time.monotonic()
    assert list_faults({"tags": [""] * MANY}) == {"tags": ["Ensure this field has no more than 100 elements."]}
    assert list_faults({"names": [""] * MANY})["names"][0].endswith(f"{MOST_ENTRIES} elements.")
    assert list_faults({"metadata": dict.fromkeys(map(str, range(MANY)), "")})["metadata"][0].code == "max_length"
    assert time.monotonic() - began < SECONDS


def test_the_check_of_types_ends_after_enough_faults() -> None:
    assert len(list_faults({"names": [1] * MOST_ENTRIES})["names"]) == MOST_FAULTS + 1


def test_too_many_parameters_are_the_senders_error(call: Caller) -> None:
    response = call("GET", "/v1/banks?" + "&".join(f"a{number}=1" for number in range(1_001)))
    assert (response.status_code, response.json()["code"]) == (400, "too_many_parameters")
