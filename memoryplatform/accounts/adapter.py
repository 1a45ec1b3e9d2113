"""The decisions that allauth leaves to a project: who may sign up, and where links lead."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp
from django.conf import settings
from django.http import Http404, HttpRequest

from memoryplatform.operations.account.errors import InvitationInvalid
from memoryplatform.operations.account.invitations import find_invitation

INVITATION = "invitation_token"  # in the session, from the click on the link to the acceptance


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """With `SIGN_UP=invited` the session must hold a valid invitation."""
        return settings.SIGN_UP == "open" or (settings.SIGN_UP == "invited" and has_invitation(request))

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Every link begins with PUBLIC_URL: allauth takes the Host header of the request, which can be forged."""
        links = {name: make_public(value) for name, value in context.items() if name.endswith("_url")}
        super().send_mail(template_prefix, email, context | links)


class SocialAccountAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth has no types
    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        is_open = AccountAdapter(request).is_open_for_signup(request)
        return is_open and (settings.SIGN_UP == "open" or is_invited(request, sociallogin.user.email))

    def get_app(self, request: HttpRequest, provider: str, client_id: str | None = None) -> Any:
        """Google or GitHub without a client in the settings is a page that is not there."""
        try:
            return super().get_app(request, provider, client_id=client_id)
        except SocialApp.DoesNotExist:
            raise Http404 from None


def has_invitation(request: HttpRequest) -> bool:
    return bool(read_invited_address(request))


def is_invited(request: HttpRequest, email: str) -> bool:
    return bool(email) and read_invited_address(request).casefold() == email.casefold()


def read_invited_address(request: HttpRequest) -> str:
    """Of the valid invitation that the session holds; else empty."""
    token = request.session.get(INVITATION)
    try:
        return find_invitation(token).email if token else ""
    except InvitationInvalid:
        return ""


def make_public(url: str) -> str:
    """The same page under PUBLIC_URL, where that is set."""
    if settings.PUBLIC_URL is None:
        return url
    path = url.split("/", 3)[-1] if "://" in url else url.lstrip("/")
    return f"{settings.PUBLIC_URL}/{path}"
