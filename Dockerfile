# syntax=docker/dockerfile:1
FROM python:3.11-slim-bookworm AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /app
RUN python -m venv /venv
# The dependencies in a layer of their own: they change less often than the code. Each file must have a hash of the lock.
COPY requirements.lock ./
RUN /venv/bin/pip install --require-hashes --no-deps -r requirements.lock
COPY . .
# collectstatic needs settings that are well-formed, not real.
RUN SECRET_KEY=only-for-collecting-the-static-files-while-the-image-is-built API_KEY_SECRET=only-for-collecting-the-static-files \
    DATABASE_URL=postgresql:///none REDIS_URL=redis://none DJANGO_SETTINGS_MODULE=memoryplatform.settings.production \
    /venv/bin/python manage.py collectstatic --no-input --verbosity 0

FROM python:3.11-slim-bookworm
RUN useradd --system --uid 10001 --no-create-home --home-dir /nonexistent service
COPY --from=build /venv /venv
COPY --from=build /app /app
WORKDIR /app
# Each thread would have an area of memory of its own, of which the allocator returns little.
ENV MALLOC_ARENA_MAX=2
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    DJANGO_SETTINGS_MODULE=memoryplatform.settings.production
USER service
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health', timeout=2)"]
CMD ["uvicorn", "memoryplatform.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--no-access-log", \
     "--http", "memoryplatform.server.http_protocol:Http", "--ws", "none"]
