from typing import Literal, TypedDict

from memoryplatform_client.options.words import Network


class DispositionFields(TypedDict, total=False):
    """Each from 1 to 5."""

    skepticism: int
    literalism: int
    empathy: int


Mode = Literal["off", "flag", "redact", "quarantine", "refuse"]


class ProtectionFields(TypedDict, total=False):
    """The mode of each family of findings. Parts that are left out stay as they are."""

    secrets: Mode
    personal_data: Mode
    instructions: Mode
    personal_kinds: list[Literal["card", "iban", "email", "phone"]]
    phone_region: str


class TermFields(TypedDict, total=False):
    """`name` is required."""

    name: str
    description: str


class ExtractionFields(TypedDict, total=False):
    """Instructions to the language model that extracts facts. The built-in engine ignores them."""

    extraction_mode: Literal["narrative", "calibrated", "verbatim"]
    retain_mission: str
    leave_out: str
    retain_language: str
    entity_types: list[TermFields]
    entity_types_closed: bool
    categories: list[TermFields]


class BankFields(ExtractionFields, total=False):
    """`opinion_step` and `opinion_reach`: None for the deployment's default."""

    name: str
    background: str
    learns_background: bool
    disposition: DispositionFields
    bias_strength: float
    opinion_step: float | None
    opinion_reach: float | None
    protection: ProtectionFields


class SettingFields(TypedDict, total=False):
    """None resets a setting. `reflect_mission` is the bank's background; `concise` and `verbose` are `narrative`."""

    disposition_skepticism: int | None
    disposition_literalism: int | None
    disposition_empathy: int | None
    reflect_mission: str | None
    retain_extraction_mode: Literal["concise", "verbose", "verbatim", "calibrated"] | None
    learns_background: bool | None
    bias_strength: float | None
    opinion_step: float | None
    opinion_reach: float | None
    retain_mission: str | None
    leave_out: str | None
    llm_output_language: str | None
    entity_types: list[TermFields] | None
    entity_types_closed: bool | None
    categories: list[TermFields] | None
    protection: ProtectionFields | None


class BankEdit(BankFields, total=False):
    """The given fields change. `if_match` is the `etag` that was read."""

    if_match: str


class NewBankFields(BankFields, total=False):
    idempotency_key: str


class RuleFields(TypedDict, total=False):
    """`network` and `tag` left out: any."""

    network: Network | Literal[""]
    tag: str
    action: Literal["fade", "delete"]
    enabled: bool


class RuleChange(RuleFields, total=False):
    """The given fields change. `if_match` is the `etag` that was read."""

    name: str
    days: int
    if_match: str


class NewRuleFields(RuleFields, total=False):
    idempotency_key: str
