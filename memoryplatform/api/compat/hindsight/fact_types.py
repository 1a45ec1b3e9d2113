"""The networks that Hindsight has. Opinions, a name that it once had, are not among them any more."""

from typing import Any

from banks.words import Network
from memoryplatform.api.compat.hindsight.errors import Unprocessable
from memoryplatform.operations.banks.known_networks import KNOWN

LEGACY = Network.OPINION.value  # it is taken, and finds nothing


def read_types(given: Any) -> list[str]:
    if not given:
        return list(KNOWN)
    names = [str(name) for name in given] if isinstance(given, list) else [str(given)]
    unknown = sorted(set(names) - {*KNOWN, LEGACY})
    if unknown:
        raise Unprocessable(f"Invalid fact type(s): {', '.join(unknown)}. Must be one of: {', '.join(KNOWN)}")
    return [name for name in dict.fromkeys(names) if name != LEGACY]
