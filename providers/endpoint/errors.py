"""The failures of an OpenAI-compatible endpoint.

EndpointError
├── EndpointUnavailable    no connection, a lost one, or 5xx, after all retries
├── EndpointTimeout        no answer in time, or no free slot to ask in
├── EndpointRateLimited    429, after all retries
└── EndpointRefused        any other 4xx: the same request would fail again

No message holds a key or a word of question or answer. `detail` is the endpoint's own sentence, which may quote the
question: only the caller may see it.
"""

from dataclasses import dataclass

from providers.errors import ProviderError


class EndpointError(ProviderError):
    """`retry_after` is in seconds, if the endpoint named a time."""

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
    """The classes that an endpoint raises: an LLM's errors have names of their own."""

    unavailable: type[EndpointUnavailable] = EndpointUnavailable
    timeout: type[EndpointTimeout] = EndpointTimeout
    rate_limited: type[EndpointRateLimited] = EndpointRateLimited
    refused: type[EndpointRefused] = EndpointRefused
