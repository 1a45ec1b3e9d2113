"""The form of the sign-up: it also names the person."""

from typing import Any

from django import forms
from django.http import HttpRequest

from tenants.models import User


class PersonForm(forms.Form):
    """allauth adds e-mail address and password to it."""

    name = forms.CharField(label="Your name", max_length=200, widget=forms.TextInput(attrs={"autocomplete": "name"}))

    def signup(self, _request: HttpRequest, user: User) -> None:
        user.name = self.cleaned_data["name"].strip()
        user.save(update_fields=["name"])

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.order_fields(["name"])
