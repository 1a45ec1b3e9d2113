from dataclasses import dataclass

from benchmarks.option_table import OptionTable, option


@dataclass(frozen=True)
class PeersOptions(OptionTable):
    hindsight_url: str = option(
        "", "base URL of a server that speaks Hindsight's interface; HINDSIGHT_API_KEY is its key"
    )
