"""The base of Hindsight's routes. They are not ours to describe, so they stay out of our OpenAPI description."""

from collections.abc import Callable
from typing import Any

from memoryplatform.api.compat.hindsight.errors import handle_hindsight_exception
from memoryplatform.api.views import TenantView


class HindsightView(TenantView):
    schema = None  # DRF's way to leave a view out of the description

    def get_exception_handler(self) -> Callable[[Exception, dict[str, Any]], Any]:
        return handle_hindsight_exception
