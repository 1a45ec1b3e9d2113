"""The request of a reflect: the fields of a recall, and options for the answer."""

from dataclasses import replace
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from banks.enums import Network
from memoryplatform.api.serializers import Input, NumberField, check_json
from memoryplatform.api.v1.recall_input import MOST_RESULTS, FieldsOption, RecallInput, build_recall_query
from reflection.reflect.response_schema import SchemaInvalid, check_schema
from reflection.reflect.types import BOUNDS, Bounds, ReflectQuery
from retrieval.analysis import MAX_CHARACTERS
from retrieval.types import AT_PRESENT, RecallQuery

LONGEST_CONTEXT = 20_000  # characters
USUAL_TOKENS = 4_096  # for the answer, and for the memories
MOST_ANSWER_TOKENS = 32_768
MOST_MEMORY_TOKENS = 100_000
MOST_CALLS = 20
LEAST_MODEL_TOKENS, MOST_MODEL_TOKENS = 1_000, 2_000_000
LEAST_SECONDS, MOST_SECONDS = 1.0, 600.0


@extend_schema_field(
    {"type": "object", "description": "A JSON schema, draft 2020-12, with references into itself only."}
)
class ResponseSchemaField(serializers.Field[dict[str, Any], Any, Any, Any]):
    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise serializers.ValidationError("Must be a JSON schema: an object.")
        check_json(data)
        try:
            check_schema(data)
        except SchemaInvalid as fault:
            raise serializers.ValidationError(f"Not a JSON schema that can be used. {fault}", code="schema") from fault
        return data


class LookUpsOption(Input):
    output = serializers.BooleanField(default=True, help_text="Include the ids that each lookup found.")


class ReflectIncludeInput(Input):
    """Each is included unless null."""

    facts = FieldsOption(required=False, allow_null=True, help_text="based_on.")
    tool_calls = LookUpsOption(required=False, allow_null=True, help_text="trace.")


class ReflectInput(RecallInput):
    """`memory_tokens` is the `max_tokens` of a recall."""

    budget = serializers.ChoiceField(
        choices=list(BOUNDS),
        default="low",
        help_text="low calls the model once. mid and high search wider first, and let the model search again.",
    )
    max_tokens = serializers.IntegerField(
        min_value=1, max_value=MOST_ANSWER_TOKENS, default=USUAL_TOKENS, help_text="Tokens of the answer."
    )
    memory_tokens = serializers.IntegerField(
        min_value=0,
        max_value=MOST_MEMORY_TOKENS,
        default=USUAL_TOKENS,
        help_text="Tokens of the memories in the prompt. Left out: 4,096, or fewer where the whole prompt would have "
        "more than 3,500 tokens at low, or 8,000 at mid.",
    )
    max_results = serializers.IntegerField(
        min_value=1,
        max_value=MOST_RESULTS,
        required=False,
        allow_null=True,
        default=None,
        help_text="The most memories that each search of the answer finds.",
    )
    fill = serializers.BooleanField(
        default=True,
        help_text="False: only relevant memories. True: as many as fit into `memory_tokens`, so that the model judges.",
    )
    context = serializers.CharField(  # type: ignore[assignment]  # the wire's name, not DRF's attribute
        max_length=LONGEST_CONTEXT, required=False, allow_null=True, allow_blank=True
    )
    fact_types = serializers.ListField(
        child=serializers.ChoiceField(choices=[network.value for network in Network]),
        required=False,
        allow_null=True,
        help_text="The same as types.",
    )
    include = ReflectIncludeInput(  # type: ignore[assignment]  # other things come along with an answer
        required=False, allow_null=True
    )
    response_schema = ResponseSchemaField(required=False, allow_null=True)
    form_opinions = serializers.BooleanField(default=True, help_text="False: store nothing.")
    apply_all_directives = serializers.BooleanField(
        default=False, help_text="Also apply directives without matching tags. Inactive directives never apply."
    )
    stream = serializers.BooleanField(default=False, help_text="Server-sent events, as with Accept: text/event-stream.")
    max_calls = serializers.IntegerField(
        min_value=1, max_value=MOST_CALLS, required=False, allow_null=True, help_text="Calls of the language model."
    )
    max_model_tokens = serializers.IntegerField(
        min_value=LEAST_MODEL_TOKENS,
        max_value=MOST_MODEL_TOKENS,
        required=False,
        allow_null=True,
        help_text="Tokens of all calls of the language model. Memories that don't fit are left out of the "
        "prompt; if the rest does not fit either, the built-in engine answers.",
    )
    max_seconds = NumberField(min_value=LEAST_SECONDS, max_value=MOST_SECONDS, required=False, allow_null=True)
    trace = None  # type: ignore[assignment]  # DRF's way to leave out a field: include.tool_calls has its place
    min_scores = None  # type: ignore[assignment]
    prefer_observations = None  # type: ignore[assignment]

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs.get("types") and attrs.get("fact_types"):
            raise serializers.ValidationError("Give either types or fact_types.")
        return super().validate(attrs)

    def recall_query(self) -> RecallQuery:
        given = self.validated_data
        types = given.get("types") or given.get("fact_types")
        return build_recall_query({**given, "types": types}, max_tokens=given["memory_tokens"])

    def reflect_query(self) -> ReflectQuery:
        given = self.validated_data
        recall = self.recall_query()
        return ReflectQuery(
            recall=recall,
            bounds=read_bounds(given, has_memory_tokens="memory_tokens" in self.initial_data),
            looks_wider=given["budget"] != "low",
            context=(given.get("context") or "").strip(),
            answer_tokens=given["max_tokens"],
            response_schema=given.get("response_schema"),
            forms_opinions=given["form_opinions"]
            and recall.moment == AT_PRESENT,  # a view of the past forms no opinions
            applies_all_directives=given["apply_all_directives"],
            is_shortened=len(" ".join(self.initial_data["query"].split())) > MAX_CHARACTERS,
        )


def read_bounds(given: dict[str, Any], *, has_memory_tokens: bool) -> Bounds:
    """Without `max_model_tokens`, each call gets room for more memory and answer tokens than the defaults.

    A caller who names `memory_tokens` decides on the length of the prompt.
    """
    usual = BOUNDS[given["budget"]]
    calls = given.get("max_calls") or usual.calls
    more = sum(max(0, given[name] - USUAL_TOKENS) for name in ("memory_tokens", "max_tokens"))
    return replace(
        usual,
        calls=calls,
        tokens=given.get("max_model_tokens") or usual.tokens + calls * more,
        seconds=given.get("max_seconds") or usual.seconds,
        prompt_tokens=None if has_memory_tokens else usual.prompt_tokens,
    )
