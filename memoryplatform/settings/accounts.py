"""Accounts: sign-up, log-in, passwords, second factors, sessions and the e-mail that they send (django-allauth)."""

from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from memoryplatform.settings.environment import Environment

APPS = [
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.google",
    "allauth.socialaccount.providers.github",
    "allauth.idp.oidc",
]
SHORTEST_PASSWORD = 12  # characters
VALIDATION = "django.contrib.auth.password_validation"
MIDDLEWARE = ["allauth.account.middleware.AccountMiddleware", "allauth.usersessions.middleware.UserSessionsMiddleware"]


def build_accounts(env: Environment) -> dict[str, Any]:
    """The settings of allauth, and the rules for passwords. Unknown e-mail addresses get the answers of known ones."""
    return {
        "AUTH_PASSWORD_VALIDATORS": [
            {"NAME": f"{VALIDATION}.UserAttributeSimilarityValidator"},
            {"NAME": f"{VALIDATION}.MinimumLengthValidator", "OPTIONS": {"min_length": SHORTEST_PASSWORD}},
            {"NAME": f"{VALIDATION}.CommonPasswordValidator"},
        ],
        "ACCOUNT_USER_MODEL_USERNAME_FIELD": None,
        "ACCOUNT_LOGIN_METHODS": {"email"},
        "ACCOUNT_SIGNUP_FIELDS": ["email*", "password1*"],
        "ACCOUNT_ADAPTER": "memoryplatform.accounts.adapter.AccountAdapter",
        "ACCOUNT_FORMS": {"signup": "memoryplatform.accounts.sign_up.SignUpForm"},
        "ACCOUNT_SIGNUP_FORM_CLASS": "memoryplatform.accounts.forms.PersonForm",
        "ACCOUNT_EMAIL_VERIFICATION": "mandatory",
        "ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED": False,
        "ACCOUNT_CHANGE_EMAIL": True,
        "ACCOUNT_PREVENT_ENUMERATION": True,
        "ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE": False,
        "ACCOUNT_REAUTHENTICATION_REQUIRED": True,
        "ACCOUNT_EMAIL_NOTIFICATIONS": True,  # of a changed password, address or second factor
        "ACCOUNT_EMAIL_SUBJECT_PREFIX": "Memory platform: ",
        "ACCOUNT_DEFAULT_HTTP_PROTOCOL": "https" if env.public_url and env.public_url.startswith("https") else "http",
        "MFA_SUPPORTED_TYPES": ["totp", "recovery_codes", "webauthn"],
        "MFA_PASSKEY_LOGIN_ENABLED": True,
        "MFA_ALLOW_UNVERIFIED_EMAIL": True,  # a change of the address; the old one holds until the new one is verified
        "MFA_TOTP_ISSUER": "Memory platform",
        "USERSESSIONS_TRACK_ACTIVITY": True,
        "SOCIALACCOUNT_PROVIDERS": build_providers(env),
        "SOCIALACCOUNT_ADAPTER": "memoryplatform.accounts.adapter.SocialAccountAdapter",
        "SOCIALACCOUNT_EMAIL_AUTHENTICATION": False,
        "IDP_OIDC_ADAPTER": "memoryplatform.oauth.clients.OAuthAdapter",
        "IDP_OIDC_DCR_ENABLED": True,
        "IDP_OIDC_DCR_REQUIRES_INITIAL_ACCESS_TOKEN": False,
        "IDP_OIDC_RATE_LIMITS": {"client_registration": "10/m/ip,100/d/ip"},
        "IDP_OIDC_REFRESH_TOKEN_EXPIRES_IN": 90 * 24 * 3600,
        "LOGIN_URL": "account_login",
        "LOGIN_REDIRECT_URL": "/dashboard/",
    }


def build_providers(env: Environment) -> dict[str, Any]:
    """Google and GitHub, each if its client is configured."""
    clients = {
        "google": (env.google_client_id, env.google_client_secret, ["profile", "email"]),
        "github": (env.github_client_id, env.github_client_secret, ["user:email"]),
    }
    return {
        name: {"APPS": [{"client_id": client_id, "secret": secret.get_secret_value()}], "SCOPE": scope}
        for name, (client_id, secret, scope) in clients.items()
        if client_id and secret
    }


def list_provider_origins(env: Environment) -> list[str]:
    origins = {"google": "https://accounts.google.com", "github": "https://github.com"}
    return [origins[name] for name in build_providers(env)]


def build_email(env: Environment) -> dict[str, Any]:
    """smtp://user:password@host:587 (STARTTLS), smtps:// (TLS from the start), or the console without EMAIL_URL."""
    if env.email_url is None:
        return {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend", "DEFAULT_FROM_EMAIL": env.email_from}
    url = urlsplit(env.email_url.get_secret_value())
    if url.scheme not in {"smtp", "smtps"} or not url.hostname:
        raise ImproperlyConfigured("EMAIL_URL must have the form smtp://user:password@host:587 or smtps://...")
    is_implicit = url.scheme == "smtps"
    wants_tls = parse_qs(url.query).get("tls", ["1"])[-1] != "0"
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": url.hostname,
        "EMAIL_PORT": url.port or (465 if is_implicit else 587),
        "EMAIL_HOST_USER": unquote(url.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(url.password or ""),
        "EMAIL_USE_SSL": is_implicit,
        "EMAIL_USE_TLS": not is_implicit and wants_tls,
        "EMAIL_TIMEOUT": 10,
        "DEFAULT_FROM_EMAIL": env.email_from,
    }
