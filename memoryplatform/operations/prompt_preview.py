"""The prompts that a bank's settings give, in the parts that they are made of. No model is asked."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils import timezone

from banks.enums import Mode
from banks.hindsight_settings import makes_observations, read_text
from banks.models import Bank
from banks.retain.llm.bank_settings import OPENING, list_rules
from banks.retain.llm.extraction import CALIBRATED_SYSTEM, NARRATIVE_SYSTEM
from memoryplatform.operations.account.own_llm import find_llm
from providers.llm.protocol import Task
from reflection.directives import read_directives
from reflection.disposition import Profile
from reflection.observations.llm_observer import MISSION, SYSTEM
from reflection.reflect.prompt import build_prompt
from reflection.reflect.types import ReflectQuery
from retrieval.types import RecallQuery

NO_MODEL = "No language model is configured."
VERBATIM = "The bank's mode stores what was said, word for word."
NO_OBSERVATIONS = "The bank makes no observations."
QUESTION, MEMORIES, DELIMITER = "<the question>", "<the memories>", "<a dividing line with a random code>"
OWN_SECTIONS = {"profile": "bank_identity", "directives": "directives"}


@dataclass(frozen=True)
class PromptPart:
    """`is_own`: the words of the bank's settings, not ours. `section` names the settings."""

    text: str
    is_own: bool = False
    section: str = ""


@dataclass(frozen=True)
class PromptPreview:
    """`parts` are the system message. `user` is empty where that message is the text that comes in.

    `skipped` says why no prompt is sent; empty if one is.
    """

    parts: tuple[PromptPart, ...] = ()
    user: tuple[PromptPart, ...] = ()
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


def preview_reflection(bank: Bank) -> PromptPreview:
    """The first call of a reflect of Hindsight's interface, with stand-ins for the question and the memories.

    Directives with tags are left out: they apply to questions with such tags only. Call inside a tenant transaction.
    """
    if find_llm(bank.tenant_id, Task.REFLECT) is None:
        return PromptPreview(skipped=NO_MODEL)
    query = ReflectQuery(
        RecallQuery(QUESTION, timezone.now()),
        forms_opinions=False,
        directives=read_directives(bank, None, applies_all=False),
    )
    prompt = build_prompt(Profile.of(bank), query, {"evidence": MEMORIES}, delimiter=DELIMITER)
    system = (
        PromptPart(text, is_own=name in OWN_SECTIONS, section=OWN_SECTIONS.get(name, ""))
        for name, text in prompt.system.items()
    )
    return PromptPreview(tuple(system), tuple(PromptPart(text) for text in prompt.user.values()))
