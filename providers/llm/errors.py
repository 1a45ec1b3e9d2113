"""The failures of an LLM.

LLMError
├── LLMUnavailable       no connection, a lost one, or 5xx, after all retries
├── LLMTimeout           no answer in time, or no free slot to ask in
├── LLMRateLimited       429, after all retries; `retry_after` if the endpoint named a time
├── LLMRefused           any other 4xx, or the model declined
├── MalformedAnswer      not in the form that was asked for, also after a repair; `raw` is the answer
└── StreamInterrupted    a stream that broke off; `partial` is the text up to there

The first four are endpoint errors as well, so a caller may treat embeddings and answers alike. The attributes `raw`,
`partial` and `detail` hold text of the conversation and must not be logged. The messages hold none.
"""

from providers.endpoint.errors import (
    EndpointRateLimited,
    EndpointRefused,
    EndpointTimeout,
    EndpointUnavailable,
    ErrorClasses,
)
from providers.errors import ProviderError
from providers.usage import Usage

REFUSES_CONTENT = {None, 400, 413, 422}  # statuses of a refusal for the content or its length


class LLMError(ProviderError):
    pass


class LLMUnavailable(LLMError, EndpointUnavailable):
    pass


class LLMTimeout(LLMError, EndpointTimeout):
    pass


class LLMRateLimited(LLMError, EndpointRateLimited):
    pass


class LLMRefused(LLMError, EndpointRefused):
    pass


class MalformedAnswer(LLMError):
    """`truncated` says that the answer ran into the limit of its length."""

    def __init__(self, message: str, *, raw: str, usage: Usage, truncated: bool = False) -> None:
        super().__init__(message)
        self.raw = raw
        self.usage = usage
        self.truncated = truncated


class StreamInterrupted(LLMError):
    def __init__(self, message: str, *, partial: str, usage: Usage) -> None:
        super().__init__(message)
        self.partial = partial
        self.usage = usage


LLM_ERRORS = ErrorClasses(
    unavailable=LLMUnavailable, timeout=LLMTimeout, rate_limited=LLMRateLimited, refused=LLMRefused
)


def concerns_content(failure: LLMError) -> bool:
    """Whether the endpoint may answer another text, or a part of this one. All other failures are about the key, the
    model or the network, and the operator must act.
    """
    return isinstance(failure, MalformedAnswer) or (
        isinstance(failure, LLMRefused) and failure.status in REFUSES_CONTENT
    )
