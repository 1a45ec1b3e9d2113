"""A request that names a host which is not ours: what whoever sent it is told."""

from django.http import HttpRequest

from memoryplatform.api.errors import readable

LONGEST_SHOWN = 100  # characters


def describe_foreign_host(request: HttpRequest) -> str:
    """The name is the sender's own. Which ones are served is not told, only where whoever runs the service says it."""
    name = readable(request.headers.get("Host", ""))[:LONGEST_SHOWN]
    return f"This host name is not served here: '{name}'. Those that are stand in the setting ALLOWED_HOSTS."
