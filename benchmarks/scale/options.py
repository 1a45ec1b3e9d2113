from dataclasses import dataclass

from django.core.management.base import CommandError

from benchmarks.option_table import OptionTable, option, split


@dataclass(frozen=True)
class ScaleOptions(OptionTable):
    sizes: str = option("1000,10000,100000", "comma-separated sizes to which one bank grows; also 1000000")
    banks: int = option(0, "also fill a database with this many small banks, for example 10000", type=int)
    bank_size: int = option(100, "memories of a small bank", type=int)
    sources: int = option(2_000, "texts with real embeddings, from which all memories are made", type=int)
    imports: int = option(0, "also export and import a bank of this many memories with their vectors", type=int)
    recalls: int = option(100, "recalls for each figure", type=int)
    exact: int = option(20, "vector searches that are compared with the exact result", type=int)

    def __post_init__(self) -> None:
        if not all(part.isdecimal() and int(part) for part in split(self.sizes)):
            raise CommandError("--sizes takes numbers above 0, separated by commas.")
        if min(self.bank_size, self.sources, self.recalls, self.exact) <= 0 or min(self.banks, self.imports) < 0:
            raise CommandError(
                "--bank-size, --sources, --recalls and --exact are above 0, --banks and --imports at least 0."
            )

    @property
    def steps(self) -> list[int]:
        return sorted({int(part) for part in split(self.sizes)})
