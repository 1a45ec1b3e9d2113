"""Reading files of extracted facts in the form that a caller passes to retain."""

import json
import lzma
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from banks.enums import Network
from banks.types import ExtractedFact, FoundEntity

# Capitalised words that do not begin a sentence: a cheap source of enough names to fill the entity tables.
NAME = re.compile(r"(?<=[a-z,] )[A-Z][\w'-]+(?: [A-Z][\w'-]+)*")
MOST_NAMES = 4
NETWORKS = {"world": Network.WORLD, "agent": Network.EXPERIENCE, "opinion": Network.OPINION}
USUAL_CONFIDENCE = 0.5


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    content = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    yield from map(json.loads, content.splitlines())


def read_extracted(path: Path) -> list[ExtractedFact]:
    """Rows with `text`, `event_date` and, in some, `fact_type`."""
    return [
        build_fact(row["text"], row["event_date"], NETWORKS.get(row.get("fact_type", ""), Network.WORLD))
        for row in read_lines(path)
    ]


def read_notes(path: Path) -> list[ExtractedFact]:
    """Rows with `fact` and `note_date`, each text once."""
    rows = {row["fact"]: row["note_date"] for row in read_lines(path)}
    return [build_fact(text, said_at, Network.WORLD) for text, said_at in rows.items()]


def build_fact(text: str, said_at: str, network: Network) -> ExtractedFact:
    moment = datetime.fromisoformat(said_at)
    return ExtractedFact(
        text=text,
        network=network,
        mentioned_at=moment if moment.tzinfo else moment.replace(tzinfo=UTC),
        entities=find_names(text),
        confidence=USUAL_CONFIDENCE if network is Network.OPINION else None,
    )


def find_names(text: str) -> tuple[FoundEntity, ...]:
    return tuple(FoundEntity(name) for name in list(dict.fromkeys(NAME.findall(text)))[:MOST_NAMES])
