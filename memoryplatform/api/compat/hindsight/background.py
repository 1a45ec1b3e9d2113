"""`/background`: news is merged into who the agent is. Hindsight gave up this address; its client still knows it."""

from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.compat.hindsight.bank_shapes import describe_profile
from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView
from memoryplatform.api.compat.hindsight.tolerance import read_body
from memoryplatform.api.idempotency import idempotent_operation
from memoryplatform.api.v1.background import BackgroundInput
from memoryplatform.api.v1.preconditions import read_expected
from memoryplatform.operations.banks.background import merge_background

SHOWN = ("mission", "background", "disposition")


class HindsightBackgroundView(HindsightView):
    scopes: ClassVar[dict[str, str]] = {"POST": "write read"}  # the answer shows it

    @idempotent_operation
    def post(self, request: Request, bank_id: str) -> Response:
        """The disposition stays as it is, whatever `update_disposition` says: it is only ever set."""
        body = read_body(BackgroundInput, request.data)
        content, expected = body.validated_data["content"], read_expected(request)
        merged = merge_background(self.access, bank_id, content, expected=expected)
        if merged.refused:
            raise serializers.ValidationError({"content": [merged.refused]})
        profile: dict[str, Any] = describe_profile(merged.bank)
        return Response({name: profile[name] for name in SHOWN})
