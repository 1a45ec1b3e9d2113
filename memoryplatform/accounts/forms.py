"""The form of the sign-up: it also names the person."""

from typing import Any

from allauth.core import context
from django import forms
from django.conf import settings
from django.http import HttpRequest

from memoryplatform.accounts.adapter import is_invited
from tenants.models import User


class PersonForm(forms.Form):
    """allauth adds e-mail address and password to it, and reads the order."""

    field_order = ("name", "email", "password1")

    name = forms.CharField(label="Your name", max_length=200, widget=forms.TextInput(attrs={"autocomplete": "name"}))

    def clean(self) -> dict[str, Any]:
        """With `SIGN_UP=invited` the invitation is for its own address only."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if settings.SIGN_UP == "invited" and not is_invited(context.request, cleaned.get("email", "")):
            self.add_error("email", "The invitation is for another address.")
        return cleaned

    def signup(self, _request: HttpRequest, user: User) -> None:
        user.name = self.cleaned_data["name"].strip()
        user.save(update_fields=["name"])
