from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class Usage:
    """What a provider spent. Retries that brought no answer are not in it: nobody is billed for them.

    `estimated` says that at least a part was counted here, because the endpoint did not say.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0
    estimated: bool = False

    def __add__(self, other: Self) -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            calls=self.calls + other.calls,
            estimated=self.estimated or other.estimated,
        )
