"""The base of every view: it acts for the tenant of the API key. Also `If-Match` and ETags.

These notes are here because OpenAPI would repeat a class docstring: `scopes` of a view overrides the scopes that a
method needs, and `quotes_memories` is false where no response can contain memory text, so that a replayed response
need not be deleted with the memories.
"""

from typing import Any, NoReturn, cast
from uuid import UUID

from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import is_success
from rest_framework.views import APIView

from memoryplatform.api.authentication import may_write
from memoryplatform.api.throttling import KeyAndTenantThrottle, RateLimited, write_rate_headers
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.read_replica import REPLICA, write_lsn
from tenants.audit import Actor, build_actor
from tenants.keys import KeyIdentity


class TenantView(APIView):
    throttle_classes = (KeyAndTenantThrottle,)
    quotes_memories = True

    def stores_nothing(self, _request: Request) -> bool:
        """True for a dry run, whose response is not recorded under its Idempotency-Key."""
        return False

    @property
    def identity(self) -> KeyIdentity:
        return cast("KeyIdentity", self.request.auth)

    @property
    def tenant_id(self) -> UUID:
        return self.identity.tenant_id

    @property
    def actor(self) -> Actor:
        return build_actor(self.request, api_key_prefix=self.identity.prefix, user_id=self.identity.user_id)

    @property
    def access(self) -> BankAccess:
        return BankAccess(self.tenant_id, banks=self.identity.banks, actor=self.actor)

    @property
    def expected(self) -> frozenset[str] | None:
        """The versions in `If-Match`, of which one must be the stored one; None accepts any."""
        given = self.request.headers.get("If-Match", "*").strip()
        if given == "*":
            return None
        return frozenset(tag.strip().removeprefix("W/").strip('"') for tag in given.split(","))

    def throttled(self, request: Request, wait: float | None) -> NoReturn:  # DRF's signature
        raise RateLimited(request)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Response:
        finished = super().finalize_response(request, as_response(response), *args, **kwargs)
        for name, value in (write_rate_headers(request) | self.write_lsn_header(request, finished)).items():
            finished.headers[name] = value
        return finished

    def write_lsn_header(self, request: Request, response: Response) -> dict[str, str]:
        """After a write, with a replica: the place in the write-ahead log, for a recall that must know the write."""
        if not (REPLICA.is_configured and is_success(response.status_code) and may_write(request, self)):
            return {}
        lsn = REPLICA.note_write(self.tenant_id, self.identity.prefix)
        return {"Memory-LSN": write_lsn(lsn)} if lsn else {}


def as_response(answer: Any) -> Response:
    """A handler may return plain data, which is a 200."""
    return answer if isinstance(answer, HttpResponseBase) else Response(answer)  # type: ignore[return-value]  # a stream


def write_etag(version: str) -> dict[str, str]:
    return {"ETag": f'"{version}"'}
