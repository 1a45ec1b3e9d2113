"""What a webhook of Hindsight's keeps in its options. Headers and parameters may be credentials, so they are sealed."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from tenants.sealed_text import SealedText, seal, unseal

CONFIG, SEALED = "http_config", "sealed"
IN_THE_OPEN = ("method", "timeout_seconds")


@dataclass(frozen=True)
class HttpConfig:
    method: str = "POST"
    timeout_seconds: int = 30
    headers: dict[str, str] = field(default_factory=dict)
    params: dict[str, str] = field(default_factory=dict)


def write_options(config: HttpConfig, *, has_secret: bool) -> dict[str, Any]:
    fields = asdict(config)
    shown = {name: fields.pop(name) for name in IN_THE_OPEN}
    return {"has_secret": has_secret, CONFIG: shown | {SEALED: seal(json.dumps(fields))}}


def read_config(options: dict[str, Any]) -> HttpConfig | None:
    """None where no key of ours opens it. What was kept before there was a seal is read as it is."""
    stored = dict(options.get(CONFIG, {}))
    opened = unseal(stored.pop(SEALED, "{}"))
    return None if isinstance(opened, SealedText) else HttpConfig(**stored | json.loads(opened))
