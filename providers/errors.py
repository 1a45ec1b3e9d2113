"""What may go wrong in a provider, apart from what an endpoint answers.

ProviderError
├── ModelFileError      a file that a model is made of is missing or changed
├── MissingExtra        the chosen provider needs an optional dependency
├── UnknownModel        the chosen provider has no such model, or can't use it
├── UnusableVector      a vector that can't be compared: empty, not finite, of another length
├── UnusableScores      what a reranking endpoint gave is no score for the passages that were sent
├── EndpointError       see providers/endpoint/errors.py
└── LLMError            see providers/llm/errors.py
"""


class ProviderError(Exception):
    """The root: a caller that only wants to know whose fault it was catches this."""


class ModelFileError(ProviderError):
    pass


class MissingExtra(ProviderError):
    def __init__(self, extra: str) -> None:
        super().__init__(f"The provider {extra} is not installed: pip install 'memoryplatform[{extra}]'.")
        self.extra = extra


class UnknownModel(ProviderError):
    pass


class UnusableVector(ProviderError):
    pass


class UnusableScores(ProviderError):
    pass
