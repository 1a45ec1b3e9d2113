"""What an LLM may do to us.

LLMError
├── LLMUnavailable       no connection, a lost one, or 5xx, also after the retries
├── LLMTimeout           no answer in time, or no free slot to ask in
├── LLMRateLimited       429, also after the retries; `retry_after` where the endpoint said it
├── LLMRefused           any other 4xx, or the model declined
├── MalformedAnswer      not what was asked for, also after a repair; `raw` is the answer
└── StreamInterrupted    a stream that broke off; `partial` is the text up to there

The first four are endpoint errors as well, so a caller may treat embeddings and answers alike. The attributes `raw`,
`partial` and `detail` hold text of the conversation and don't belong into a log; the messages hold none.
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
    """Whether another text, or a part of it, may be answered. Anything else is about the key, the model or the network,
    and whoever set those can mend it.
    """
    return isinstance(failure, MalformedAnswer) or (
        isinstance(failure, LLMRefused) and failure.status in REFUSES_CONTENT
    )
