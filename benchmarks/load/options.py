from dataclasses import dataclass

from django.core.management.base import CommandError

from benchmarks.option_table import OptionTable, option


@dataclass(frozen=True)
class LoadOptions(OptionTable):
    clients: int = option(16, "callers, each with one request under way", type=int)
    minutes: float = option(10.0, "duration of the measurement", type=float)
    retains: float = option(0.1, "share of retains among the requests; the others are recalls", type=float)
    memories: int = option(10_000, "memories in the bank before the start", type=int)

    def __post_init__(self) -> None:
        if min(self.clients, self.minutes, self.memories) <= 0 or not 0 <= self.retains <= 1:
            raise CommandError("--clients, --minutes and --memories are above 0, --retains is from 0 to 1.")
