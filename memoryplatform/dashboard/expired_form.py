"""The page for a form whose CSRF token is no longer valid.

Django makes a new token at each log-in. A form that was opened before that, in another tab, is refused. The page says
so, leads back to the form, and shows the input, so that none of it is lost.
"""

from urllib.parse import urlencode

import structlog
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from memoryplatform.api.compat.fallback_errors import build_response, wants_page
from memoryplatform.dashboard.access import find_open_page

MOST_FIELDS = 50
SECRETS = ("csrf", "password", "secret", "api_key", "code", "token")  # parts of names whose values are not shown
EXPIRED = "This form has expired. Open its page again and repeat it."
ENDED = "Your session has ended. Sign in in another tab and send this again: what you typed stays here."
log = structlog.get_logger(__name__)


def handle_csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    log.info("csrf.refused", reason=reason)
    if not wants_page(request):
        detail = EXPIRED if request.user.is_authenticated else ENDED
        return build_response(request, 403, detail, "permission_denied")
    page = find_open_page(request)
    email = getattr(request.user, "email", "") if request.user.is_authenticated else ""
    is_entrance = not page or page.startswith(reverse("account_login"))
    sign_in = f"{reverse('account_login')}?{urlencode({'next': page, 'ended': 'yes'})}"
    values = {
        "email": email,
        "address": page if email or is_entrance else sign_in,
        "is_entrance": is_entrance,
        "fields": read_input(request) if page else [],
    }
    return render(request, "expired_form.html", values, status=403)


def read_input(request: HttpRequest) -> list[tuple[str, str]]:
    """The labels and texts that the person has typed. Passwords and the like are left out."""
    shown = [
        (name.replace("_", " ").capitalize(), value)
        for name, values in request.POST.lists()
        for value in values
        if value.strip() and name != "next" and not any(part in name.lower() for part in SECRETS)
    ]
    return shown[:MOST_FIELDS]
