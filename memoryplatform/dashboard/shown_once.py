"""A new secret that a page shows once, after a redirect: a reload of that page neither makes nor shows another one.

Between the two requests the secret is in a signed cookie of the person's own browser, for a minute. The server stores
it nowhere, and the page that shows it deletes the cookie.
"""

from uuid import UUID

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.cache import add_never_cache_headers

from memoryplatform.dashboard.access import TenantRequest

COOKIE = "shown-once"
SECONDS = 60


def lead_to_secret(request: TenantRequest, page: str, owner_id: UUID, secret: str) -> HttpResponse:
    """`owner_id` is the key or webhook that the secret belongs to."""
    answer = redirect(page)
    answer.set_signed_cookie(
        COOKIE,
        f"{owner_id} {secret}",
        salt=build_salt(request),
        max_age=SECONDS,
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
        samesite="Lax",
    )
    return answer


def read_secret(request: TenantRequest, owner_id: UUID) -> str:
    """Empty unless the redirect came from the act that made the secret of this owner."""
    written = request.get_signed_cookie(COOKIE, default="", salt=build_salt(request), max_age=SECONDS)
    named, _, secret = (written or "").partition(" ")
    return secret if named == str(owner_id) else ""


def forget_secret(answer: HttpResponse) -> HttpResponse:
    """For the page that shows the secret. The browser keeps no copy of that page."""
    add_never_cache_headers(answer)
    answer.delete_cookie(COOKIE, samesite="Lax")
    return answer


def build_salt(request: TenantRequest) -> str:
    """The secret of one person in one tenant can't be shown to another."""
    return f"{COOKIE}:{request.user.pk}:{request.access.tenant_id}"
