"""The failures of a provider.

ProviderError
├── ModelFileError      a file of a model is missing or changed
├── MissingExtra        the chosen provider needs an optional dependency
├── UnknownModel        the chosen provider has no such model, or can't use it
├── EmbeddingModelUnavailable  no embedder of the settings makes vectors of that model
├── UnusableVector      a vector that can't be compared: empty, not finite, of another length
├── UnusableScores      a reranking endpoint gave no scores for the passages
├── EndpointError       see providers/endpoint/errors.py
└── LLMError            see providers/llm/errors.py
"""


class ProviderError(Exception):
    """The root, for callers that need to know only that a provider failed."""


class ModelFileError(ProviderError):
    pass


class MissingExtra(ProviderError):
    def __init__(self, extra: str) -> None:
        super().__init__(f"The provider {extra} is not installed: pip install 'memoryplatform[{extra}]'.")
        self.extra = extra


class UnknownModel(ProviderError):
    pass


class EmbeddingModelUnavailable(ProviderError):
    """Vectors of another model can't take the place of the missing ones."""

    code = "embedding_model_unavailable"

    def __init__(self, model_id: str) -> None:
        super().__init__(f"This deployment has no embedding model '{model_id}'.")


class UnusableVector(ProviderError):
    pass


class UnusableScores(ProviderError):
    pass
