"""The form of the sign-up: it also names the person."""

from django import forms
from django.http import HttpRequest

from tenants.models import User


class PersonForm(forms.Form):
    """allauth adds e-mail address and password to it, and reads the order."""

    field_order = ("name", "email", "password1")

    name = forms.CharField(label="Your name", max_length=200, widget=forms.TextInput(attrs={"autocomplete": "name"}))

    def signup(self, _request: HttpRequest, user: User) -> None:
        user.name = self.cleaned_data["name"].strip()
        user.save(update_fields=["name"])
