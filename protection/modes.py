"""The protection of a bank: a mode for each family of findings. A bank stores it as JSON."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Self

from protection.findings import Family, Finding, find_in_plain
from protection.personal_data import PersonalKind, find_personal_data

REGION = re.compile("(?:[A-Z]{2})?")
MODES = ["off", "flag", "redact", "quarantine", "refuse"]


@dataclass(frozen=True)
class Protection:
    """`phone_region` is the country of phone numbers without a country code; empty: those are not found."""

    secrets: str = "off"
    personal_data: str = "off"
    instructions: str = "off"
    personal_kinds: tuple[str, ...] = tuple(kind.value for kind in PersonalKind)
    phone_region: str = ""

    def __post_init__(self) -> None:
        modes = {self.secrets, self.personal_data, self.instructions}
        if not modes <= set(MODES) or not set(self.personal_kinds) <= set(PersonalKind):
            raise ValueError("There is no such mode or kind.")
        if not REGION.fullmatch(self.phone_region):
            raise ValueError("A region is a country code of two letters, or empty.")

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Self:
        """Raises ValueError, TypeError or KeyError for anything but the stored form."""
        return cls(**{**stored, "personal_kinds": tuple(stored["personal_kinds"])})

    def write(self) -> dict[str, Any]:
        return asdict(self) | {"personal_kinds": list(self.personal_kinds)}

    def list_families(self, *modes: str) -> set[Family]:
        """The families in one of these modes."""
        return {family for family in Family if getattr(self, family) in modes}

    @property
    def is_off(self) -> bool:
        return self.list_families("off") == set(Family)

    def find(self, text: str, *modes: str) -> list[Finding]:
        """Findings of the families in one of these modes. The first call imports the libraries that it needs."""
        found: list[Finding] = []
        families = self.list_families(*modes)
        if Family.SECRETS in families:
            from protection.secrets import find_secrets  # a bank without protection pays nothing

            found += find_in_plain(text, find_secrets)
        if Family.PERSONAL_DATA in families:
            find = partial(find_personal_data, kinds=self.personal_kinds, region=self.phone_region)
            found += find_in_plain(text, find)
        if Family.INSTRUCTIONS in families:
            from protection.instructions import find_instructions

            found += find_instructions(text)
        return sorted(found)


def write_off() -> dict[str, Any]:
    """The stored form of no protection, which every new bank has."""
    return Protection().write()
