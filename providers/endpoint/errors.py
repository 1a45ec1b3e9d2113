"""What an OpenAI-compatible endpoint may do to us.

EndpointError
├── EndpointUnavailable    no connection, a lost one, or 5xx, also after the retries
├── EndpointTimeout        no answer in time, or no free slot to ask in
├── EndpointRateLimited    429, also after the retries
└── EndpointRefused        any other 4xx: asking again the same way is no use

No message holds a key or anything of what was asked or answered: `detail` is the endpoint's own sentence, which
may quote the question, and is for the eyes of whoever asked.
"""

from dataclasses import dataclass

from providers.errors import ProviderError


class EndpointError(ProviderError):
    """`retry_after` is in seconds, where the endpoint said when to come back."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class EndpointUnavailable(EndpointError):
    pass


class EndpointTimeout(EndpointError):
    pass


class EndpointRateLimited(EndpointError):
    pass


class EndpointRefused(EndpointError):
    def __init__(self, message: str, *, status: int | None = None, code: str | None = None, detail: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.detail = detail


@dataclass(frozen=True)
class ErrorClasses:
    """Which classes an endpoint raises, so that an LLM's errors can have names of their own."""

    unavailable: type[EndpointUnavailable] = EndpointUnavailable
    timeout: type[EndpointTimeout] = EndpointTimeout
    rate_limited: type[EndpointRateLimited] = EndpointRateLimited
    refused: type[EndpointRefused] = EndpointRefused
