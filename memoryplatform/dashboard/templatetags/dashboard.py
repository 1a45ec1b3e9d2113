"""Tags of the customers' pages."""

import re
from functools import cache
from pathlib import Path

from django import template
from django.conf import settings
from django.forms import BoundField, CheckboxInput
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

COMMENT = re.compile(r"<!--.*?-->\s*", re.DOTALL)


@register.simple_tag
def icon(name: str) -> SafeString:
    """A Lucide icon as inline SVG, in the colour of the text around it."""
    return read_icon(name)


@cache
def read_icon(name: str) -> SafeString:
    path = Path(settings.BASE_DIR) / "static" / "vendor" / "icons" / f"{name}.svg"
    svg = COMMENT.sub("", path.read_text()).replace(f'class="lucide lucide-{name}"', 'class="icon" aria-hidden="true"')
    return mark_safe(svg)  # noqa: S308  # a file of our own


@register.simple_tag
def styled(field: BoundField) -> SafeString:
    """The widget of a form field in the product's look."""
    attributes: dict[str, str | bool] = {"class": "check" if isinstance(field.field.widget, CheckboxInput) else "input"}
    if field.errors:
        attributes["aria-invalid"] = "true"
    return field.as_widget(attrs=attributes)


@register.filter
def is_checkbox(field: BoundField) -> bool:
    return isinstance(field.field.widget, CheckboxInput)
