"""Routes of Hindsight's that this service does not serve: a 501 that says so, for a caller with a key."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.compat.hindsight.errors import NotOffered
from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView
from memoryplatform.api.idempotency import idempotent


class NotServedView(HindsightView):
    sentence = ""

    def refuse(self) -> Response:
        raise NotOffered(self.sentence)

    def get(self, _request: Request, **_names: Any) -> Response:
        return self.refuse()

    @idempotent
    def post(self, _request: Request, **_names: Any) -> Response:
        return self.refuse()

    def put(self, _request: Request, **_names: Any) -> Response:
        return self.refuse()

    def patch(self, _request: Request, **_names: Any) -> Response:
        return self.refuse()

    def delete(self, _request: Request, **_names: Any) -> Response:
        return self.refuse()
