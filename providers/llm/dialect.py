"""Endpoints speak the same protocol with small differences; a refusal tells which, and it is remembered."""

from dataclasses import dataclass, replace
from typing import Literal

from providers.endpoint.errors import EndpointRefused

StructuredOutput = Literal["json_schema", "json_object"]
REFUSES_A_PARAMETER = {400, 422}


@dataclass(frozen=True)
class Dialect:
    structured_output: StructuredOutput
    limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    sends_temperature: bool = True


def find_adapted(dialect: Dialect, refused: EndpointRefused, *, structured: bool) -> Dialect | None:
    """The dialect to try next, or None where the refusal was about something else.

    Every step is one way, so trying ends. A refused schema is not always called by its name, so any refusal of a
    structured request leads to JSON mode; it is only remembered if that is accepted.
    """
    if refused.status not in REFUSES_A_PARAMETER:
        return None
    if "max_completion_tokens" in refused.detail and dialect.limit_field == "max_tokens":
        return replace(dialect, limit_field="max_completion_tokens")
    if "temperature" in refused.detail and dialect.sends_temperature:
        return replace(dialect, sends_temperature=False)
    if structured and dialect.structured_output == "json_schema":
        return replace(dialect, structured_output="json_object")
    return None
