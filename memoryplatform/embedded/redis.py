"""Redis in a folder, on a Unix socket only."""

import signal
from pathlib import Path
from urllib.parse import quote

import redis

from memoryplatform.embedded import binaries
from memoryplatform.embedded.account import SERVER_ENVIRONMENT
from memoryplatform.embedded.child import Command, Sink, discard
from memoryplatform.embedded.folder import write_private
from memoryplatform.embedded.processes import stop_servers_in
from memoryplatform.embedded.server import EmbeddedServer, choose_socket_folder

SOCKET_NAME = "redis.sock"
STOP_SIGNALS = (signal.SIGTERM,)

# The operations are in Postgres: the sweeper enqueues the entries again that a crash loses.
CONFIGURATION = """\
# Written at each start.
port 0
unixsocket "{socket}"
unixsocketperm 700
dir ./
appendonly yes
appendfsync everysec
save ""
maxmemory-policy noeviction
daemonize no
loglevel warning
"""


class EmbeddedRedis(EmbeddedServer):
    name = "redis"

    def __init__(self, folder: Path, *, sink: Sink = discard) -> None:
        super().__init__(folder, sink=sink)
        self._socket = self._folder / SOCKET_NAME

    def launch(self) -> None:
        program = binaries.find_redis()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder.chmod(0o700)
        self.remove_leftovers()
        self._scratch.clear()
        socket_folder = choose_socket_folder(self._folder, SOCKET_NAME, scratch=self._scratch, account=None)
        self._socket = socket_folder / SOCKET_NAME
        write_private(self._folder / "redis.conf", CONFIGURATION.format(socket=self._socket))
        command = Command(
            name=self.name,
            argv=(str(program), "redis.conf"),
            cwd=self._folder,
            environment=SERVER_ENVIRONMENT,
            stop_signals=STOP_SIGNALS,
        )
        self._launch(command)

    def remove_leftovers(self) -> None:
        stop_servers_in(self._folder, "redis-server", STOP_SIGNALS)

    def find_fault(self) -> str | None:
        try:
            with redis.Redis.from_url(self.url, socket_connect_timeout=2, socket_timeout=2) as client:
                client.ping()
        except (redis.ConnectionError, redis.TimeoutError) as error:
            return str(error)
        return None

    @property
    def url(self) -> str:
        return f"unix://{quote(str(self._socket))}?db=0"
