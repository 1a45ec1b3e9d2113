"""The service's address and the API key: from the environment first, then from a profile."""

import os
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from memoryplatform_client.cli.failures import BadUsage
from memoryplatform_client.cli.profiles import find_profile
from memoryplatform_client.errors import UnusableHeader
from memoryplatform_client.headers import check_key

URL_VARIABLE, KEY_VARIABLE = "MEMORYPLATFORM_URL", "MEMORYPLATFORM_API_KEY"
LOCAL = "http://127.0.0.1:8000"


@dataclass(frozen=True)
class Access:
    url: str
    key: str


def find_access(profile_name: str | None) -> Access:
    """A profile's key is sent only to the address of the same profile."""
    url, key = os.environ.get(URL_VARIABLE), os.environ.get(KEY_VARIABLE)
    if url and key:
        return Access(check_url(url), check_given_key(key))
    profile = find_profile(profile_name)
    if key:
        return Access(check_url(profile.url if profile else LOCAL), check_given_key(key))
    if profile is None:
        raise BadUsage(f"No API key found: run `memoryplatform login`, or set {KEY_VARIABLE}.")
    if url and check_url(url) != profile.url:
        raise BadUsage(f"{URL_VARIABLE} is not the address of the profile {profile.name!r}: set {KEY_VARIABLE} too.")
    return Access(profile.url, profile.key)


def check_url(given: str) -> str:
    url = given.strip().rstrip("/")
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        raise BadUsage(f"{given!r} is not an address such as {LOCAL}.")
    return url


def is_exposed(url: str) -> bool:
    """Whether the key would cross the network unencrypted."""
    parts = urlsplit(url)
    return parts.scheme == "http" and not (parts.hostname == "localhost" or is_loopback(parts.hostname or ""))


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:  # a host name, not an IP address
        return False


def check_given_key(given: str) -> str:
    try:
        return check_key(given)
    except UnusableHeader as fault:
        raise BadUsage(str(fault)) from fault
