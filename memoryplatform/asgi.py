"""The web process."""

import os

import django
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryplatform.settings.production")
django.setup(set_prefix=False)

from memoryplatform.api.compat.fallback_errors import shape_error  # noqa: E402  # Django is set up now
from memoryplatform.api.mcp.application import McpRoutes  # noqa: E402
from memoryplatform.server.body_limit import BodyLimit  # noqa: E402
from memoryplatform.server.cors import allow_origins  # noqa: E402
from memoryplatform.server.handler import RequestHandler  # noqa: E402
from memoryplatform.server.lifespan import Lifespan  # noqa: E402

django_application = RequestHandler()
limited = BodyLimit(django_application, max_bytes=settings.MAX_BODY_BYTES, shape_error=shape_error)
routes = McpRoutes(Lifespan(limited), max_bytes=settings.MAX_BODY_BYTES)
application = allow_origins(routes, settings.CORS_ALLOWED_ORIGINS)
