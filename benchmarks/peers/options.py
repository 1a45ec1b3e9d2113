from dataclasses import dataclass

from benchmarks.option_table import OptionTable, option


@dataclass(frozen=True)
class PeersOptions(OptionTable):
    hindsight_url: str = option(
        "", "base URLs of servers that speak Hindsight's interface, with commas; HINDSIGHT_API_KEY is their key"
    )
