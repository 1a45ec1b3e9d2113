"""The sign-up of a known address costs as much time as that of an unknown one.

This is not in `forms.py`, because allauth's form derives from `PersonForm` there.
"""

from typing import Any

from allauth.account.forms import SignupForm
from django.contrib.auth.hashers import make_password
from django.http import HttpRequest


class SignUpForm(SignupForm):  # type: ignore[misc]  # allauth has no types
    def try_save(self, request: HttpRequest) -> Any:
        """An unknown address is stored with the hash of its password. A known one gets the same hash for nothing."""
        if self.account_already_exists:
            make_password(self.cleaned_data["password1"])
        return super().try_save(request)
