"""Tags of the customers' pages."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from urllib.parse import quote

from django import template
from django.conf import settings
from django.contrib.humanize.templatetags.humanize import intcomma
from django.forms import BoundField, CheckboxInput
from django.template.defaultfilters import filesizeformat, stringfilter
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from banks.enums import Network
from banks.models import Bank, MemoryUnit
from retrieval.filters.tags import FORMED_UNDER_SEVERAL, OBSERVED_UNDER_SEVERAL
from tenants.models import Quota
from tenants.quotas import QuotaUse

register = template.Library()

QUOTA_TITLES = {
    Quota.MEMORIES: "Memories",
    Quota.BANKS: "Banks",
    Quota.STORED_BYTES: "Stored text",
    Quota.LLM_TOKENS: "Language model tokens this month",
    Quota.MEMBERS: "Members and open invitations",
}
SET_BY_PLATFORM = {
    FORMED_UNDER_SEVERAL: "formed from several tags",
    OBSERVED_UNDER_SEVERAL: "observed under several tags",
}
NAMES = {"Google", "GitHub"}  # of log-ins
ALLAUTH_PLACEHOLDERS = {"Email address", "Password", "Password (again)", "New Password", "New Password (again)"}
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


@register.filter
def tag_label(tag: str) -> str:
    """A tag that the platform sets is told in words."""
    return SET_BY_PLATFORM.get(tag, tag)


@register.simple_tag
def styled(field: BoundField) -> SafeString:
    """The widget of a form field in the product's look."""
    attributes: dict[str, str | bool] = {"class": "check" if isinstance(field.field.widget, CheckboxInput) else "input"}
    if field.errors:
        attributes["aria-invalid"] = "true"
    if field.field.widget.attrs.get("placeholder") in ALLAUTH_PLACEHOLDERS:
        attributes["placeholder"] = ""  # it repeats the label in other words
    return field.as_widget(attrs=attributes)


@register.filter
def is_checkbox(field: BoundField) -> bool:
    return isinstance(field.field.widget, CheckboxInput)


@register.filter(is_safe=True)
@stringfilter
def own_wording(text: str) -> str:
    """A title or label of allauth in this project's spelling: "Change Email Address" → "Change e-mail address"."""
    first, *rest = text.split() or [""]
    words = [
        first.capitalize() if first.istitle() else first,
        *(word if word in NAMES or not word.istitle() else word.lower() for word in rest),
    ]
    return " ".join(words).replace("Email", "E-mail").replace("email", "e-mail").removesuffix(":")


@register.simple_tag
def when(moment: datetime | date | None, form: str = "full") -> SafeString:
    """A moment that the browser writes in the reader's zone, as `full`, `day` or `relative`. The title has the UTC."""
    if moment is None:
        return mark_safe('<span class="text-faint">&ndash;</span>')
    if not isinstance(moment, datetime):
        return format_html('<time datetime="{}">{}</time>', moment.isoformat(), f"{moment:%-d %b %Y}")
    utc = moment.astimezone(UTC)
    return format_html(
        '<time datetime="{}" data-when="{}" title="{} UTC">{} UTC</time>',
        utc.isoformat(), form, f"{utc:%Y-%m-%d %H:%M:%S}", f"{utc:%-d %b %Y, %H:%M}",
    )  # fmt: skip


NETWORKS: dict[str, str] = {
    Network.WORLD: "World: what the bank knows of people and things",
    Network.EXPERIENCE: "Experience: what the agent itself said and did",
    Network.OPINION: "Opinion: what the agent believes, with a confidence",
    Network.OBSERVATION: "Observation: a summary of what is known of somebody or something",
}


@register.simple_tag
def network(name: str) -> SafeString:
    return format_html('<span class="network network-{}" title="{}">{}</span>', name, NETWORKS.get(name, ""), name)


VALIDITY = {  # the words of the pages for the validity of a memory: the look and the meaning of each
    "current": ("good", "It holds today, as far as the bank knows."),
    "ends": ("accent", "It holds today, and its end is known already."),
    "ended": ("warn", "It was true, and is no longer. Recall returns it only for questions about the past."),
    "never true": ("bad", "It was corrected: it never was true."),
}


@register.simple_tag
def hint(word: str, meaning: str, look: str = "") -> SafeString:
    """A word whose meaning is shown under the pointer and at the focus of the keyboard."""
    return format_html(
        '<button type="button" class="hint {}">{}<span class="hint-text" role="tooltip">{}</span></button>',
        look, word, meaning,
    )  # fmt: skip


@register.simple_tag
def validity(unit: MemoryUnit, *, is_linked: bool = False) -> SafeString:
    """The badge of a memory's validity. `is_linked`: it stands inside of a link, which can hold no button."""
    word = find_validity(unit)
    look, meaning = VALIDITY[word]
    if is_linked:
        return format_html('<span class="badge badge-{}" title="{}">{}</span>', look, meaning, word)
    return hint(word, meaning, f"badge badge-{look}")


def find_validity(unit: MemoryUnit) -> str:
    if unit.expired_at is None and (unit.valid_until is None or unit.valid_until > timezone.now()):
        return "ends" if unit.valid_until else "current"
    return "never true" if unit.close_reason == MemoryUnit.CloseReason.CORRECTION else "ended"


@register.simple_tag
def spaced(name: str) -> str:
    """A relation or an attribute in words: lives_in → lives in."""
    return name.replace("_", " ")


@register.simple_tag
def prints_mail() -> bool:
    """Without EMAIL_URL, e-mails are printed to the console of the web server."""
    return settings.EMAIL_BACKEND.endswith(".console.EmailBackend")


@register.simple_tag
def memory_url(bank: Bank, unit: MemoryUnit) -> str:
    """The page of a memory. An opinion has a page of its own."""
    folder = "opinions" if unit.network == Network.OPINION else "memories"
    return f"/dashboard/banks/{quote(bank.bank_id, safe='')}/{folder}/{unit.id}/"


@register.simple_tag
def sparkline(values: Sequence[float], label: str = "") -> SafeString:
    """A small line of the values, drawn as SVG. At least two values, else nothing."""
    if len(values) < 2:  # noqa: PLR2004
        return mark_safe("")
    most = max(*values, 1)
    points = [
        f"{place * 100 / (len(values) - 1):.1f},{28 - value * 26 / most:.1f}" for place, value in enumerate(values)
    ]
    line = " ".join(points)
    return format_html(
        '<svg class="sparkline" viewBox="0 0 100 30" preserveAspectRatio="none" role="img" aria-label="{}">'
        '<polygon points="0,30 {} 100,30"/><polyline points="{}"/></svg>',
        label, line, line,
    )  # fmt: skip


@register.simple_tag
def share(value: float, most: float = 1, label: str = "") -> SafeString:
    """A thin bar in the colour of the text: the value's part of `most`."""
    width = max(0, min(100, value * 100 / most)) if most else 0
    return format_html(
        '<svg class="share" role="img" aria-label="{}"><rect width="100%" height="100%"/>'
        '<rect width="{}%" height="100%"/></svg>',
        label or f"{width:.0f} %", f"{width:.1f}",
    )  # fmt: skip


@register.filter
def duration(length: timedelta | None) -> str:
    """Rounded to what a reader compares: `340 ms`, `4.2 s`, `3 min 20 s`, `2 h 5 min`."""
    if length is None:
        return ""
    seconds = max(length.total_seconds(), 0)
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:  # noqa: PLR2004
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


BROWSERS = (  # a part of the user agent, and the name; the first that fits counts, as many claim to be others
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Vivaldi", "Vivaldi"),
    ("SamsungBrowser", "Samsung Internet"),
    ("FxiOS", "Firefox"),
    ("Firefox", "Firefox"),
    ("CriOS", "Chrome"),
    ("HeadlessChrome", "Chrome without a window"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


@register.filter
def browser(agent: str) -> str:
    """The browser and the system of a user agent: “Firefox on Linux”. A program that is no browser keeps its name."""
    name = next((name for part, name in BROWSERS if part in agent), agent.partition("/")[0][:40] or "Unknown")
    system = next((name for part, name in SYSTEMS if part in agent), "")
    return f"{name} on {system}" if system else name


@register.filter
def quota_title(quota: str) -> str:
    return QUOTA_TITLES[Quota(quota)]


@register.filter
def used_amount(use: QuotaUse) -> str:
    return write_amount(use.quota, use.used)


@register.filter
def limit_amount(use: QuotaUse) -> str:
    return write_amount(use.quota, use.limit or 0)


def write_amount(quota: str, amount: int) -> str:
    return filesizeformat(amount) if quota == Quota.STORED_BYTES else intcomma(amount)
