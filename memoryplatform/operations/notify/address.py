"""The addresses that a webhook may lead to.

Tenants choose the URLs that our machines call, so private networks are refused (server-side request forgery).
"""

import socket
from concurrent.futures import Future
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

Address = IPv4Address | IPv6Address
# IANA's special-purpose registry without its few public blocks. Python's own list differs by version.
INNER_V4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",  # behind a carrier's gateway; one cloud has its metadata here
            "127.0.0.0/8",
            "168.63.129.16/32",  # a public address for the host of a cloud's machines
            "169.254.0.0/16",  # the metadata and keys of clouds
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
PUBLIC_V6 = IPv6Network("2000::/3")  # the whole range that IANA assigns from
INNER_V6 = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments, among them Teredo, which carries an IPv4 address
            "2001:db8::/32",
            "2002::/16",  # 6to4, which carries an IPv4 address
            "3ffe::/16",
            "3fff::/20",
        ),
    )
)
NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052: the gateway calls the IPv4 address in the last 32 bits
LONGEST_URL = 2_000
Found = list[tuple[Any, ...]]


class AddressRefused(Exception):
    """The text is shown to the tenant."""


def check_url(url: str, *, allow_private: bool) -> None:
    """Check the URL without a name server. The address itself is checked when the connection is made."""
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
    if not allow_private and (is_loopback_name(host) or (literal is not None and not is_public(literal))):
        raise AddressRefused("The URL leads to an address that is not public.")


def is_loopback_name(host: str) -> bool:
    """RFC 6761: `localhost` and every name below it."""
    return f".{host.rstrip('.')}".endswith(".localhost")  # `hostname` of a URL has small letters


def find_literal(host: str) -> Address | None:
    """The address that a host spells out, also in the notations of the resolver, such as 127.1 or 2130706433."""
    try:
        return ip_address(host)
    except ValueError:
        pass  # a name, or a notation that only the resolver knows
    try:
        return IPv4Address(socket.inet_aton(host))
    except OSError:
        return None


def resolve(host: str, port: int, *, allow_private: bool, within: float) -> list[str]:
    """The addresses of a host. A single private one refuses them all. Raises TimeoutError after `within` seconds."""
    try:
        found = look_up(host, port, within=within)
    except (socket.gaierror, UnicodeError):
        raise AddressRefused("The host has no address.") from None
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not allow_private and not all(is_public(ip_address(one.partition("%")[0])) for one in addresses):
        raise AddressRefused("The host has an address that is not public.")
    return addresses


def is_public(address: Address) -> bool:
    """IPv6 forms that carry an IPv4 address are private, except NAT64 to a public address."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in INNER_V4)
    if address in NAT64:
        return is_public(IPv4Address(int(address) & 0xFFFF_FFFF))
    return address in PUBLIC_V6 and not any(address in network for network in INNER_V6)


def look_up(host: str, port: int, *, within: float) -> Found:
    """Ask the system's resolver, which has no time limit, in a thread. The thread ends when the resolver gives up.

    Raises TimeoutError without an answer in time.
    """
    answer: Future[Found] = Future()
    Thread(target=ask, args=(answer, host, port), name="look-up", daemon=True).start()
    return answer.result(timeout=within)


def ask(answer: "Future[Found]", host: str, port: int) -> None:
    try:
        answer.set_result(list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))
    except Exception as error:  # noqa: BLE001  # the waiting thread raises it
        answer.set_exception(error)
