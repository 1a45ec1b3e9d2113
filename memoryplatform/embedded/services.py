"""Postgres and Redis, embedded unless the person who typed `up` named others; and the roles in the database."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode

import psycopg
import redis
from psycopg.conninfo import conninfo_to_dict

from memoryplatform.embedded.console import Console
from memoryplatform.embedded.errors import StartError
from memoryplatform.embedded.folder import DataFolder
from memoryplatform.embedded.postgres import SUPERUSER, EmbeddedPostgres
from memoryplatform.embedded.processes import Processes, Stage
from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.embedded.server import READY_SECONDS, EmbeddedServer
from tenants.roles import Login, ProvisioningError, provision

DATABASE = "memoryplatform"
CONNECT_SECONDS = 10


@dataclass(frozen=True)
class External:
    """What the environment of `up` named. The first may be an account for the set-up; see `DatabaseUrls`."""

    database_url: str | None = None
    owner_url: str | None = None
    platform_url: str | None = None
    redis_url: str | None = None


@dataclass(frozen=True)
class DatabaseUrls:
    """One database under three roles."""

    service: str
    owner: str
    platform: str


@dataclass(frozen=True)
class Services:
    database: DatabaseUrls
    redis_url: str

    def environment(self) -> dict[str, str]:
        return {
            "DATABASE_URL": self.database.service,
            "DATABASE_OWNER_URL": self.database.owner,
            "DATABASE_PLATFORM_URL": self.database.platform,
            "REDIS_URL": self.redis_url,
        }


def start_services(folder: DataFolder, external: External, processes: Processes, console: Console) -> Services:
    check_complete(external)
    postgres = None if external.database_url else EmbeddedPostgres(folder.postgres, sink=console.log)
    redis_server = None if external.redis_url else EmbeddedRedis(folder.redis, sink=console.log)
    servers = ((Stage.DATABASE, postgres), (Stage.BROKER, redis_server))
    launch_together([(stage, server) for stage, server in servers if server is not None], processes)
    return Services(
        database=open_external(external, folder, console) if postgres is None else open_embedded(postgres, folder),
        redis_url=check_redis(external.redis_url or "", console) if redis_server is None else redis_server.url,
    )


def check_complete(external: External) -> None:
    if bool(external.owner_url) != bool(external.platform_url):
        raise StartError("Set both DATABASE_OWNER_URL and DATABASE_PLATFORM_URL beside DATABASE_URL, or neither.")
    if external.owner_url and not external.database_url:
        raise StartError("DATABASE_OWNER_URL and DATABASE_PLATFORM_URL are set without DATABASE_URL: set all or none.")


def launch_together(servers: Sequence[tuple[Stage, EmbeddedServer]], processes: Processes) -> None:
    for stage, server in servers:
        processes.add(stage, server)
        server.launch()
    for _, server in servers:
        processes.wait_until(server.is_ready, seconds=READY_SECONDS, what=f"{server.name} is not ready")


def open_embedded(postgres: EmbeddedPostgres, folder: DataFolder) -> DatabaseUrls:
    return make_roles(postgres.superuser_url(SUPERUSER), DATABASE, folder)


def open_external(external: External, folder: DataFolder, console: Console) -> DatabaseUrls:
    url = external.database_url or ""
    place = parse(url)
    console.say(f"Postgres: DATABASE_URL is set, using {describe(place)} instead of the embedded one.")
    if external.owner_url and external.platform_url:
        return check_logins(DatabaseUrls(url, external.owner_url, external.platform_url))
    if not place.get("dbname"):
        raise StartError("DATABASE_URL names no database: it ends in /name.")
    return make_roles(url, place["dbname"], folder)


def make_roles(setup_url: str, database: str, folder: DataFolder) -> DatabaseUrls:
    """The names hold the database's: two installations may share a server."""
    owner, service, platform = (
        Login(f"{database}_{role}_login", folder.secret(f"password of the {role} login"))
        for role in ("owner", "service", "platform")
    )
    try:
        provision(setup_url, database=database, owner=owner, service=service, platform=platform)
    except ProvisioningError as error:
        raise StartError(str(error)) from error
    return DatabaseUrls(
        service=login_url(setup_url, service, database),
        owner=login_url(setup_url, owner, database),
        platform=login_url(setup_url, platform, database),
    )


def login_url(setup_url: str, login: Login, database: str) -> str:
    """The same server, with everything else that the URL says (TLS, several hosts), as another user."""
    rest = {key: value for key, value in parse(setup_url).items() if key not in {"user", "password", "dbname"}}
    user, password, name = (quote(part, safe="") for part in (login.name, login.password, database))
    return f"postgresql://{user}:{password}@/{name}?{urlencode(rest, quote_via=quote)}"


def check_logins(urls: DatabaseUrls) -> DatabaseUrls:
    for variable, url in (
        ("DATABASE_URL", urls.service),
        ("DATABASE_OWNER_URL", urls.owner),
        ("DATABASE_PLATFORM_URL", urls.platform),
    ):
        try:
            psycopg.connect(url, connect_timeout=CONNECT_SECONDS).close()
        except psycopg.Error as error:
            raise StartError(f"{variable} can't be used: {first_line(error)}.") from error
    return urls


def check_redis(url: str, console: Console) -> str:
    try:
        with redis.Redis.from_url(
            url, socket_connect_timeout=CONNECT_SECONDS, socket_timeout=CONNECT_SECONDS
        ) as client:
            place = client.connection_pool.connection_kwargs
            name = place.get("path") or f"{place.get('host', 'localhost')}:{place.get('port', 6379)}"
            console.say(f"Redis: REDIS_URL is set, using {name} instead of the embedded one.")
            client.ping()
    except (redis.RedisError, ValueError) as error:
        raise StartError(f"REDIS_URL can't be used: {first_line(error)}.") from error
    return url


def parse(url: str) -> dict[str, str]:
    try:
        return {key: str(value) for key, value in conninfo_to_dict(url).items() if value is not None}
    except psycopg.ProgrammingError:
        raise StartError("DATABASE_URL is not a Postgres URL: postgresql://user:password@host:port/name.") from None


def describe(place: dict[str, str]) -> str:
    return f"{place.get('host', 'localhost')}:{place.get('port', '5432')}/{place.get('dbname', '')}"


def first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
