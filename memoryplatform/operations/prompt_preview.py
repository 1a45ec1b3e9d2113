"""The system messages that a bank's settings give, in the parts that they are made of. No model is asked."""

from collections.abc import Iterator
from dataclasses import dataclass

from banks.enums import Mode
from banks.hindsight_settings import makes_observations, read_text
from banks.models import Bank
from banks.retain.llm.bank_settings import OPENING, list_rules
from banks.retain.llm.extraction import CALIBRATED_SYSTEM, NARRATIVE_SYSTEM
from memoryplatform.operations.account.own_llm import find_llm
from providers.llm.protocol import Task
from reflection.observations.llm_observer import MISSION, SYSTEM

NO_MODEL = "No language model is configured."
VERBATIM = "The bank's mode stores what was said, word for word."
NO_OBSERVATIONS = "The bank makes no observations."


@dataclass(frozen=True)
class PromptPart:
    """`is_own`: the words of the bank's settings, not ours."""

    text: str
    is_own: bool = False


@dataclass(frozen=True)
class PromptPreview:
    """`skipped` says why no prompt is sent; empty if one is."""

    parts: tuple[PromptPart, ...] = ()
    skipped: str = ""


def preview_extraction(bank: Bank) -> PromptPreview:
    """Call inside a tenant transaction."""
    if bank.extraction_mode == Mode.VERBATIM:
        return PromptPreview(skipped=VERBATIM)
    if find_llm(bank.tenant_id, Task.EXTRACT) is None:
        return PromptPreview(skipped=NO_MODEL)
    system = CALIBRATED_SYSTEM if bank.extraction_mode == Mode.CALIBRATED else NARRATIVE_SYSTEM
    return PromptPreview((PromptPart(system), *list_bank_rules(bank)))


def list_bank_rules(bank: Bank) -> Iterator[PromptPart]:
    rules = list(list_rules(bank.extraction_settings))
    if rules:
        yield PromptPart(OPENING)
        yield from (PromptPart(f"- {rule}", is_own=True) for rule in rules)


def preview_observation(bank: Bank) -> PromptPreview:
    """Call inside a tenant transaction."""
    if not makes_observations(bank.hindsight_settings):
        return PromptPreview(skipped=NO_OBSERVATIONS)
    if find_llm(bank.tenant_id, Task.OBSERVE) is None:
        return PromptPreview(skipped=NO_MODEL)
    mission = read_text(bank.hindsight_settings, "observations_mission")
    own = (PromptPart(MISSION.format(mission=mission), is_own=True),) if mission else ()
    return PromptPreview((PromptPart(SYSTEM), *own))
