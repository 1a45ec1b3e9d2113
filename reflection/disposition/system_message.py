"""The system message of an agent: its name, its background and its disposition (formula 23)."""

from reflection.disposition.bias import verbalise_bias
from reflection.disposition.traits import verbalise_traits
from reflection.profile import Profile


def build_system_message(profile: Profile) -> str:
    """Pure: the same profile always speaks with the same words."""
    parts = [f"You are {profile.name}.", describe_background(profile.background), verbalise(profile)]
    return "\n\n".join(part for part in parts if part)


def describe_background(background: str) -> str:
    return f"This is who you are, in your own words:\n{background.strip()}" if background.strip() else ""


def verbalise(profile: Profile) -> str:
    """With no bias the traits stay unsaid: what is not to show need not be known."""
    bias = verbalise_bias(profile.bias_strength)
    if profile.bias_strength <= 0.0:
        return bias
    values = {
        "skepticism": profile.skepticism,
        "literalism": profile.literalism,
        "empathy": profile.empathy,
    }
    return " ".join([*verbalise_traits(values), bias])
