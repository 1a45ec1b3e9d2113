from collections.abc import Mapping
from typing import Any


def describe_usage(spent: Mapping[str, Any]) -> dict[str, int]:
    """Tokens under Hindsight's names. Cached and hidden ones are not told apart here."""
    read, written = int(spent.get("input_tokens", 0)), int(spent.get("output_tokens", 0))
    return {
        "input_tokens": read,
        "output_tokens": written,
        "total_tokens": read + written,
        "cached_tokens": 0,
        "thoughts_tokens": 0,
    }
