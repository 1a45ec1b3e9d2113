from dataclasses import dataclass

from banks.models import Bank


@dataclass(frozen=True)
class Profile:
    """Who answers (formula 22): a name, a background in the first person, and a disposition."""

    name: str
    background: str = ""
    skepticism: int = 3
    literalism: int = 3
    empathy: int = 3
    bias_strength: float = 0.5

    @classmethod
    def of(cls, bank: Bank) -> "Profile":
        return cls(bank.name, bank.background, bank.skepticism, bank.literalism, bank.empathy, bank.bias_strength)
