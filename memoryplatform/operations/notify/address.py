"""Where a webhook may lead. Tenants choose what our machines then call, so inner networks are out of reach."""

import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

from memoryplatform.operations.notify.looking_up import look_up

Address = IPv4Address | IPv6Address

# IANA's special-purpose registry, but for its few blocks that anybody may reach. Python's own list differs by version.
INNER_V4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",  # behind a carrier's gateway; a cloud keeps its metadata here
            "127.0.0.0/8",
            "168.63.129.16/32",  # a public address by which a cloud's machines reach their host
            "169.254.0.0/16",  # where clouds keep their keys
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/4",
            "240.0.0.0/4",
        ),
    )
)
OUTER_V6 = IPv6Network("2000::/3")  # all that was ever given out
INNER_V6 = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocols, among them Teredo, which carries an IPv4 address
            "2001:db8::/32",
            "2002::/16",  # 6to4, which carries one too
            "3ffe::/16",
            "3fff::/20",
        ),
    )
)
NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052: the last 32 bits are an IPv4 address, which the gateway calls
LONGEST_URL = 2_000


class AddressRefused(Exception):
    """The text is shown to the tenant."""


def check_url(url: str, *, allow_private: bool) -> None:
    """What can be said without asking a name server; the address itself is checked when it is called."""
    if len(url) > LONGEST_URL or not url.isprintable() or " " in url:
        raise AddressRefused(f"The URL must have at most {LONGEST_URL} printable characters and no space.")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise AddressRefused("The URL can't be read.") from None
    if parts.scheme not in {"http", "https"} or not host:
        raise AddressRefused("The URL must begin with http:// or https:// and name a host.")
    if parts.username is not None or parts.password is not None:
        raise AddressRefused("The URL must not hold a password.")
    if not host.isascii():
        raise AddressRefused("The host must stand in its ASCII form, such as xn--bcher-kva.example.")
    literal = find_literal(host)
    if literal is not None and not allow_private and not is_public(literal):
        raise AddressRefused("The URL leads to an address that is not public.")


def find_literal(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def resolve(host: str, port: int, *, allow_private: bool, within: float) -> list[str]:
    """The addresses of a host. One that is not public spoils them all: a name has no business with both.

    TimeoutError after `within` seconds.
    """
    try:
        found = look_up(host, port, within=within)
    except (socket.gaierror, UnicodeError):
        raise AddressRefused("The host has no address.") from None
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not allow_private and not all(is_public(ip_address(one.partition("%")[0])) for one in addresses):
        raise AddressRefused("The host has an address that is not public.")
    return addresses


def is_public(address: Address) -> bool:
    """IPv4 addresses inside IPv6 ones are no way in: those forms are not public, or lead to a public one by NAT64."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in INNER_V4)
    if address in NAT64:
        return is_public(IPv4Address(int(address) & 0xFFFF_FFFF))
    return address in OUTER_V6 and not any(address in network for network in INNER_V6)
