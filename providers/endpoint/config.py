from dataclasses import dataclass, field


@dataclass(frozen=True)
class EndpointConfig:
    base_url: str
    api_key: str | None = field(default=None, repr=False)
    timeout_seconds: float = 60.0
    max_retries: int = 3
    max_concurrency: int = 8
