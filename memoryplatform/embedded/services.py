"""Postgres and Redis of `up`, embedded or named by the environment, and the roles in the database."""

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
class ExternalServices:
    """The URLs in the environment of `up`. Without the other two, `database_url` is an account for the set-up."""

    database_url: str | None = None
    owner_url: str | None = None
    platform_url: str | None = None
    redis_url: str | None = None


def start_services(
    folder: DataFolder, external: ExternalServices, processes: Processes, console: Console
) -> dict[str, str]:
    """The URLs of the services, by the names of the environment variables that hold them."""
    check_complete(external)
    postgres = None if external.database_url else EmbeddedPostgres(folder.postgres, sink=console.log)
    redis_server = None if external.redis_url else EmbeddedRedis(folder.redis, sink=console.log)
    servers = ((Stage.DATABASE, postgres), (Stage.BROKER, redis_server))
    launch_together([(stage, server) for stage, server in servers if server is not None], processes)
    if postgres is None:
        database = open_external(external, folder, console)
    else:
        database = make_roles(postgres.superuser_url(SUPERUSER), DATABASE, folder)
    return database | {
        "REDIS_URL": check_redis(external.redis_url or "", console) if redis_server is None else redis_server.url
    }


def check_complete(external: ExternalServices) -> None:
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


def open_external(external: ExternalServices, folder: DataFolder, console: Console) -> dict[str, str]:
    url = external.database_url or ""
    parts = parse_database_url(url)
    server = f"{parts.get('host', 'localhost')}:{parts.get('port', '5432')}/{parts.get('dbname', '')}"
    console.say(f"Postgres: DATABASE_URL is set, using {server} instead of the embedded one.")
    if external.owner_url and external.platform_url:
        return check_logins(name_urls(url, external.owner_url, external.platform_url))
    if not parts.get("dbname"):
        raise StartError("DATABASE_URL names no database: it ends in /name.")
    return make_roles(url, parts["dbname"], folder)


def make_roles(setup_url: str, database: str, folder: DataFolder) -> dict[str, str]:
    """The names of the roles hold the name of the database: two installations may share a server."""
    owner, service, platform = (
        Login(f"{database}_{role}_login", folder.secret(f"password of the {role} login"))
        for role in ("owner", "service", "platform")
    )
    try:
        provision(setup_url, database=database, owner=owner, service=service, platform=platform)
    except ProvisioningError as error:
        raise StartError(str(error)) from error
    return name_urls(*(login_url(setup_url, login, database) for login in (service, owner, platform)))


def name_urls(service: str, owner: str, platform: str) -> dict[str, str]:
    """The URLs of one database under three roles."""
    return {"DATABASE_URL": service, "DATABASE_OWNER_URL": owner, "DATABASE_PLATFORM_URL": platform}


def login_url(setup_url: str, login: Login, database: str) -> str:
    """The same server with the same options (TLS, several hosts) as another user."""
    rest = {
        key: value for key, value in parse_database_url(setup_url).items() if key not in {"user", "password", "dbname"}
    }
    user, password, name = (quote(part, safe="") for part in (login.name, login.password, database))
    return f"postgresql://{user}:{password}@/{name}?{urlencode(rest, quote_via=quote)}"


def check_logins(urls: dict[str, str]) -> dict[str, str]:
    for variable, url in urls.items():
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
            options = client.connection_pool.connection_kwargs
            name = options.get("path") or f"{options.get('host', 'localhost')}:{options.get('port', 6379)}"
            console.say(f"Redis: REDIS_URL is set, using {name} instead of the embedded one.")
            client.ping()
    except (redis.RedisError, ValueError) as error:
        raise StartError(f"REDIS_URL can't be used: {first_line(error)}.") from error
    return url


def parse_database_url(url: str) -> dict[str, str]:
    try:
        return {key: str(value) for key, value in conninfo_to_dict(url).items() if value is not None}
    except psycopg.ProgrammingError:
        raise StartError("DATABASE_URL is not a Postgres URL: postgresql://user:password@host:port/name.") from None


def first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
