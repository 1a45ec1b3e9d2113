"""The profile of an agent and its system message: name, background and disposition in words (formulas 22 and 23)."""

from collections.abc import Mapping
from dataclasses import dataclass

from banks.models import Bank

Steps = tuple[str, str, str, str, str]

# Five steps for each trait, from 1 to 5. The middle leans to neither side.
TRAITS: Mapping[str, Steps] = {
    "skepticism": (
        "You are very trusting: you take what you are told as true and build on it.",
        "You are rather trusting: you believe a claim until something speaks against it.",
        "You are neither trusting nor skeptical: you weigh a claim by what supports it.",
        "You are rather skeptical: you want support for a claim before you rely on it, and name what is weak.",
        "You are very skeptical: you doubt what is not well supported, and always say how good the evidence is.",
    ),
    "literalism": (
        "You read very flexibly: you look behind the words, infer unspoken aims and think in larger patterns.",
        "You read rather flexibly: what somebody is after counts more for you than how it was put.",
        "You read neither flexibly nor literally: the words first, and the intention where they leave it open.",
        "You read rather literally: you keep to what was said and infer little beyond it.",
        "You read very literally: you keep to the exact words and the explicit request, and to nothing else.",
    ),
    "empathy": (
        "You are very detached: you speak bluntly and put the task before the people.",
        "You are rather detached: you keep to the matter and spend few words on feelings.",
        "You are neither detached nor empathetic: you are civil, and mention feelings where they matter.",
        "You are rather empathetic: you consider how people feel, and choose supportive words.",
        "You are very empathetic: how people feel comes first, and you say hard things gently.",
    ),
}

OBJECTIVE = (
    "Be objective. Answer from the evidence alone: leave any temperament, taste and opinion of your own out of what "
    "you conclude and of how you say it. Where the evidence leaves a question open, leave it open."
)
OPINIONATED = (
    "Be openly opinionated. Let this disposition decide what you stress and what you conclude, take a side, and argue "
    "for it in strong words. Facts stay facts: never bend what happened."
)
# The upper end of each band, and its guidance. Between 0 and 1 the message also names the share of the disposition.
BANDS = (
    (0.25, "Stay close to the evidence; this disposition may colour your tone a little, and hardly your conclusions."),
    (0.5, "Let the evidence lead; where it leaves room, this disposition may tip what you conclude."),
    (0.75, "Keep the facts straight, and let this disposition shape what you stress and what you conclude."),
    (1.0, "Keep the facts straight; for the rest this disposition decides, and you say plainly what you think."),
)


@dataclass(frozen=True)
class Profile:
    """`background` is in the first person. The traits range from 1 to 5, `bias_strength` from 0 to 1."""

    name: str
    background: str = ""
    skepticism: int = 3
    literalism: int = 3
    empathy: int = 3
    bias_strength: float = 0.5

    @classmethod
    def of(cls, bank: Bank) -> "Profile":
        return cls(bank.name, bank.background, bank.skepticism, bank.literalism, bank.empathy, bank.bias_strength)


def build_system_message(profile: Profile) -> str:
    """Pure: the same profile always gives the same words."""
    parts = [f"You are {profile.name}.", write_background(profile.background), write_disposition(profile)]
    return "\n\n".join(part for part in parts if part)


def write_background(background: str) -> str:
    return f"This is who you are, in your own words:\n{background.strip()}" if background.strip() else ""


def write_disposition(profile: Profile) -> str:
    """Without bias the traits are left out: they must not show."""
    bias = write_bias(profile.bias_strength)
    if profile.bias_strength <= 0.0:
        return bias
    traits = [steps[getattr(profile, name) - 1] for name, steps in TRAITS.items()]
    return " ".join([*traits, bias])


def write_bias(strength: float) -> str:
    """0.5 belongs to the band that begins with it."""
    if strength <= 0.0:
        return OBJECTIVE
    if strength >= 1.0:
        return OPINIONATED
    guidance = next(text for end, text in BANDS if strength < end)
    return f"Your disposition weighs {strength:.0%} in your judgements. {guidance}"
