"""API keys, private keys and passwords in URLs, by the patterns of `detect-secrets`.

The library's plugins are asked one by one: its own scan reads files, has global settings, and may call the provider to
check a key. Its guesses by entropy and by the word before a value are left out, because prose is full of both.
"""

import re
from functools import cache

from protection.findings import Family, Finding

PLUGINS = (
    "artifactory.ArtifactoryDetector",
    "aws.AWSKeyDetector",
    "azure_storage_key.AzureStorageKeyDetector",
    "cloudant.CloudantDetector",
    "discord.DiscordBotTokenDetector",
    "github_token.GitHubTokenDetector",
    "gitlab_token.GitLabTokenDetector",
    "ibm_cos_hmac.IbmCosHmacDetector",
    "jwt.JwtTokenDetector",
    "mailchimp.MailchimpDetector",
    "openai.OpenAIDetector",
    "pypi_token.PypiTokenDetector",
    "sendgrid.SendGridDetector",
    "slack.SlackDetector",
    "square_oauth.SquareOAuthDetector",
    "stripe.StripeDetector",
    "telegram_token.TelegramBotTokenDetector",
    "twilio.TwilioKeyDetector",
)
# Patterns that the library lacks, or with which it finds a part only: the header of a private key, a key without its
# last characters, a password without special characters. Its pattern for npm takes seconds on some texts.
OWN = {
    "private_key": r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^-]{0,20000}?(?:-[^-]{1,200}){0,20}?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
    r"|[A-Za-z0-9+/=\s\\]{0,20000})"
    r"|PuTTY-User-Key-File-\d[\s\S]{0,20000}",
    "url_password": r"(?<=://)[^\s/:@?#]{0,200}:(?P<found>[^\s/@]{1,200}(?:@[^\s/@]{1,200}(?=@))?)@",
    "anthropic_token": r"\bsk-ant-[\w-]{20,}",
    "openai_token": r"\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,}",
    "google_api_key": r"\bAIza[\w-]{35}",
    "hugging_face_token": r"\bhf_[A-Za-z0-9]{30,}",
    "github_token": r"\bgithub_pat_\w{30,}",
    "groq_token": r"\bgsk_[A-Za-z0-9]{40,}",
    "xai_token": r"\bxai-[A-Za-z0-9]{40,}",
    "npm_token": r"\bnpm_[A-Za-z0-9]{30,}",
    "stripe_access_key": r"\b[rs]k_(?:live|test)_[0-9a-zA-Z]{16,}",
    "memoryplatform_key": r"\bmpk_[0-9a-f]{12}_[\w-]{20,}",
}
REST = re.compile(r"[\w-]*")  # a key of which a pattern knows the first characters only


def find_secrets(text: str) -> list[Finding]:
    found = []
    for kind, pattern in load_patterns():
        for match in pattern.finditer(text):
            start, end = find_span(match)
            rest = REST.match(text, end)
            found.append(Finding(start, rest.end() if rest else end, Family.SECRETS, kind))
    return found


def find_span(match: re.Match[str]) -> tuple[int, int]:
    """Of the first group that matched, else of the whole."""
    place = next((place for place in range(1, match.re.groups + 1) if match[place]), 0)
    return match.span(place)


@cache
def load_patterns() -> list[tuple[str, re.Pattern[str]]]:
    """Imports the library at the first call: it takes 0.2 s."""
    from importlib import import_module

    patterns = [(kind, re.compile(pattern)) for kind, pattern in OWN.items()]
    for name in PLUGINS:
        module, plugin = name.split(".")
        detector = getattr(import_module(f"detect_secrets.plugins.{module}"), plugin)
        kind = re.sub(r"\W+", "_", detector.secret_type.lower()).strip("_")
        patterns += [(kind, pattern) for pattern in detector.denylist]
    return patterns
