"""Where a webhook may lead. Tenants choose what our machines then call, so inner networks are out of reach."""

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

Address = IPv4Address | IPv6Address

NAT64 = ip_network("64:ff9b::/96")  # RFC 6052: the last 32 bits are an IPv4 address
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


def resolve(host: str, port: int, *, allow_private: bool) -> list[str]:
    """The addresses of a host. One that is not public spoils them all: a name has no business with both."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise AddressRefused("The host has no address.") from None
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not allow_private and not all(is_public(ip_address(one.partition("%")[0])) for one in addresses):
        raise AddressRefused("The host has an address that is not public.")
    return addresses


def is_public(address: Address) -> bool:
    """Also of the IPv4 address that an IPv6 address may carry inside, since gateways call that one."""
    inner = find_inner(address)
    if inner is not None and not is_public(inner):
        return False
    return (address.is_global and not address.is_multicast) or (inner is not None and address in NAT64)


def find_inner(address: Address) -> IPv4Address | None:
    if isinstance(address, IPv4Address):
        return None
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
