"""The address that the web server listens on."""

import http.client
import ipaddress
import socket
from dataclasses import dataclass

from memoryplatform.embedded.errors import StartError

MAX_PORT = 65_535


def is_loopback(host: str) -> bool:
    """Any other name counts as an address that other machines reach."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(frozen=True)
class Address:
    host: str
    port: int

    @property
    def reachable_host(self) -> str:
        """Loopback for a server that listens on every address."""
        return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104 - compared, not bound

    @property
    def host_name(self) -> str:
        """The form of a URL and of a Host header."""
        return f"[{self.reachable_host}]" if ":" in self.reachable_host else self.reachable_host

    @property
    def url(self) -> str:
        return f"http://{self.host_name}:{self.port}"

    def check_free(self) -> None:
        if not 1 <= self.port <= MAX_PORT:
            raise StartError(f"{self.port} is no port: choose one from 1 to {MAX_PORT} with --port.")
        try:
            family, kind, protocol, _, target = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)[0]
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(target)
        except OSError as error:
            raise StartError(
                f"Port {self.port} on {self.host} can't be used ({error.strerror}): choose another with --port."
            ) from error

    def is_healthy(self) -> bool:
        """Ask directly, without a proxy of the environment."""
        connection = http.client.HTTPConnection(self.reachable_host, self.port, timeout=5)
        try:
            connection.request("GET", "/health", headers={"Host": f"{self.host_name}:{self.port}"})
            return connection.getresponse().status == http.HTTPStatus.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()
