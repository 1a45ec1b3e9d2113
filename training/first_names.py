"""Writes `banks/entities/names/names.json`: first names with gender and frequency, and surnames, from Faker's data.

    python -m training.first_names        # needs `pip install faker`

Names are folded as the service folds them. Only the locale `en_US` has frequencies; the share of other names is 0.
"""

import json
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path

from banks.entities.names.spelling import fold

TARGET = Path(__file__).parents[1] / "banks" / "entities" / "names" / "names.json"
LOCALES = (
    *("en", "en_GB", "en_IE", "en_IN", "de_DE", "fr_FR", "es_ES", "es_MX", "it_IT", "pt_BR", "pt_PT", "nl_NL"),
    *("pl_PL", "sv_SE", "no_NO", "da_DK", "fi_FI", "cs_CZ", "tr_TR", "ro_RO", "hr_HR", "hu_HU", "id_ID", "en_US"),
)
COMMON = "en_US"  # the one locale whose names carry how frequent they are; last, so that its shares win
SOURCE = "Faker (https://github.com/joke2k/faker), MIT License, Copyright (c) 2012 Daniele Faraglia"


def main() -> None:
    male: dict[str, float] = {}
    female: dict[str, float] = {}
    surnames: set[str] = set()
    for locale in LOCALES:
        provider = import_module(f"faker.providers.person.{locale}").Provider
        male |= read_shares(provider.first_names_male, locale)
        female |= read_shares(provider.first_names_female, locale)
        surnames.update(fold(name) for name in provider.last_names)
    content = {
        "source": SOURCE,
        "male": dict(sorted(male.items())),
        "female": dict(sorted(female.items())),
        "surnames": sorted(surnames),
    }
    TARGET.write_text(json.dumps(content, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


def read_shares(names: Mapping[str, float] | Iterable[str], locale: str) -> dict[str, float]:
    if locale == COMMON and isinstance(names, Mapping):
        return {fold(name): share for name, share in names.items()}
    return {fold(name): 0 for name in names}


if __name__ == "__main__":
    main()
