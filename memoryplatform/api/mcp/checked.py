from typing import Any, TypeVar

from memoryplatform.api.serializers import Input

S = TypeVar("S", bound=Input)


def check(serializer: type[S], data: dict[str, Any]) -> S:
    """The HTTP API's reading of the same fields: bounds and rules stand in one place."""
    checked = serializer(data=data)
    checked.is_valid(raise_exception=True)
    return checked
