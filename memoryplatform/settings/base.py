"""The settings of every installation. Values that differ come from the environment, see `environment.py`."""

from pathlib import Path

from csp.constants import NONCE

from memoryplatform.observability.logging import logging_config
from memoryplatform.settings import accounts
from memoryplatform.settings.admin_site import build_unfold
from memoryplatform.settings.environment import read_environment
from memoryplatform.settings.service_urls import choose_broker, parse_database_url

PACKAGE = Path(__file__).resolve().parents[1]
# Templates, static files and docs: a wheel has them in the package (setup.py), a checkout beside it.
BASE_DIR = PACKAGE / "assets" if (PACKAGE / "assets").is_dir() else PACKAGE.parent
env = read_environment()

SECRET_KEY = env.secret_key.get_secret_value()
SECRET_KEY_FALLBACKS = [key.get_secret_value() for key in env.secret_key_fallbacks]
API_KEY_SECRET = env.api_key_secret.get_secret_value()
DEBUG = False
ALLOWED_HOSTS = env.allowed_hosts
CSRF_TRUSTED_ORIGINS = env.csrf_trusted_origins
CSRF_FAILURE_VIEW = "memoryplatform.dashboard.expired_form.handle_csrf_failure"
ROOT_URLCONF = "memoryplatform.urls"
ASGI_APPLICATION = "memoryplatform.asgi.application"
APPEND_SLASH = False

INSTALLED_APPS = [
    "unfold",  # before the admin: it replaces its templates
    "unfold.contrib.filters",
    "django.contrib.admin.apps.SimpleAdminConfig",  # urls.py loads the admin: commands need not
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    *accounts.APPS,
    "rest_framework",
    "drf_spectacular",
    "django_dramatiq",
    "django_htmx",
    "tenants",
    "banks",
    "retrieval",
    "reflection",
    "memoryplatform.accounts",
    "memoryplatform.operations",
    "memoryplatform.review",
    "memoryplatform.api",
    "memoryplatform.dashboard",
    "memoryplatform.embedded",
    "benchmarks",
]

MIDDLEWARE = [  # static files come before these, see server/handler.py
    "memoryplatform.observability.middleware.RequestContextMiddleware",
    "memoryplatform.api.compression.WholeGZipMiddleware",
    "memoryplatform.observability.middleware.ProbeMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    *accounts.MIDDLEWARE,
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "memoryplatform.dashboard.context.frame",
            ]
        },
    }
]

# Up to three connections to one database: the service works on the first, `migrate` on the second, the admin on the
# third. A fourth leads to its replica. A process has only those whose URL it was given.
DATABASES = {"default": parse_database_url(env.database_url, pool_size=env.database_pool_size)}
if env.database_owner_url:
    DATABASES["owner"] = parse_database_url(env.database_owner_url)
if env.database_platform_url:
    DATABASES["platform"] = parse_database_url(env.database_platform_url)
if env.database_replica_url:  # another server; recall asks the primary if it does not answer soon
    DATABASES["replica"] = parse_database_url(
        env.database_replica_url, pool_size=env.database_pool_size, wait_seconds=2
    )
DATABASE_REPLICA_MAX_LAG_SECONDS = env.database_replica_max_lag_seconds
DATABASE_PREPARED_STATEMENTS = env.database_prepared_statements
if DATABASE_PREPARED_STATEMENTS:
    # Recall's statements are prepared at their second use on a connection; Django's own never are.
    for alias in {"default", "replica"} & set(DATABASES):
        DATABASES[alias]["OPTIONS"]["prepare_threshold"] = 1
DATABASE_ROUTERS = ["tenants.routing.Router"]
DATABASE_SETUP_URL = env.database_setup_url
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "tenants.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
PUBLIC_URL = env.public_url
MAIL_LINK_URL = PUBLIC_URL or "http://127.0.0.1:8000"  # of e-mails that no browser asked for
SIGN_UP = env.sign_up
MAX_OWNED_TENANTS = env.max_owned_tenants
globals().update(accounts.build_accounts(env) | accounts.build_email(env))

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "static/"
STATIC_ROOT: Path | None = None
STATICFILES_DIRS = [BASE_DIR / "static"]
SERVESTATIC_USE_FINDERS = True
DOCS_DIR = BASE_DIR / "docs"  # the pages under /docs/; the changelog and others are beside it

UNFOLD = build_unfold()

# The admin brings scripts of its own that need more.
CONTENT_SECURITY_POLICY = {
    "EXCLUDE_URL_PREFIXES": ["/admin/"],
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'", NONCE],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "manifest-src": ["'self'"],
        "worker-src": ["'self'"],
        # Browsers also apply it to the redirect that answers a form. The consent page adds the address of the app.
        "form-action": ["'self'", *accounts.list_provider_origins(env)],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    },
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["memoryplatform.api.authentication.ApiKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["memoryplatform.api.authentication.HasScope"],
    "DEFAULT_RENDERER_CLASSES": ["memoryplatform.api.json_format.FastJSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["memoryplatform.api.json_format.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "memoryplatform.api.errors.handle_exception",
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,  # ?format= would give a 404 before any view
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Memory platform",
    "DESCRIPTION": "Long-term memory for AI agents: retain, recall, reflect.",
    "VERSION": "0.1.0",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_AUTHENTICATION": [],
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SCHEMA_PATH_PREFIX": r"/v1",
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,  # our values explain themselves, or the help text does
    "COMPONENT_SPLIT_PATCH": False,  # our inputs of PATCH say themselves which fields are required
    "PREPROCESSING_HOOKS": ["memoryplatform.api.openapi.leave_out_hindsight_prefix"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "memoryplatform.api.openapi_document.drop_empty_defaults",
        "memoryplatform.api.openapi_document.share_error_responses",
        "memoryplatform.api.openapi_document.share_parameters",
        "memoryplatform.api.openapi_document.add_examples",
    ],
    "ENUM_NAME_OVERRIDES": {  # of choices whose field is called as others are, such as `action` or `status`
        "MemberRoleEnum": "tenants.models.Member.Role",
        "OperationStatusEnum": "memoryplatform.operations.models.Operation.Status",
        "EntityKindEnum": "banks.enums.EntityKind",
        "ErasureKindEnum": "memoryplatform.operations.models.Erasure.Kind",
        "DeliveryStatusEnum": "tenants.models.Delivery.Status",
        "ReviewActionEnum": "memoryplatform.api.v1.opinions.ACTIONS",
        "RetentionActionEnum": ["fade", "delete"],
        "ProtectionModeEnum": "protection.modes.MODES",
        "SettingsOutputRetainExtractionModeEnum": ["calibrated", "concise", "verbatim"],
    },
}

REDIS_URL = env.redis_url
# Counts failed log-ins for all processes (allauth). A cache of each process would let an attacker multiply the limit.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "memoryplatform:cache",
    }
}
BROKER_URL = env.broker_url or REDIS_URL
DRAMATIQ_BROKER = {
    **choose_broker(BROKER_URL),
    "MIDDLEWARE": [
        "dramatiq.middleware.AgeLimit",
        "dramatiq.middleware.TimeLimit",
        "dramatiq.middleware.ShutdownNotifications",
        "django_dramatiq.middleware.DbConnectionsMiddleware",
    ],
}
# Each group has a worker process of its own, so that none can starve another.
QUEUE_GROUPS = {"ingest": ["ingest"], "background": ["background"], "notify": ["notify"]}
# By name in the payload of a deletion: how an interface finds the memories of its filter.
MEMORY_FINDERS = {"mem0": "memoryplatform.api.compat.mem0.deletion.find_asked"}
EXPORT_SECONDS = env.export_seconds
S3_ENDPOINT_URL = env.s3_endpoint_url
WORKER_THREADS = env.worker_threads
WORKER_NICENESS = env.worker_niceness
OPERATION_LEASE_FOLDER = env.operation_lease_folder
OPERATION_LEASE_SECONDS = env.operation_lease_seconds
OPERATION_MAX_ATTEMPTS = env.operation_max_attempts
OPERATION_RETRY_SECONDS = env.operation_retry_seconds
QUEUE_MOST_WAITING = env.queue_most_waiting
OPERATION_REPORT_SECONDS = 0.5  # between two reports of progress

WEBHOOK_COURIER = "memoryplatform.operations.kinds.deliver_webhook.submit_delivery"
MAIL_COURIER = "memoryplatform.operations.kinds.send_mail.submit_mail"
WEBHOOK_PRIVATE_ADDRESSES = env.webhook_private_addresses
WEBHOOK_TIMEOUT_SECONDS = env.webhook_timeout_seconds
WEBHOOK_MAX_ATTEMPTS = env.webhook_max_attempts
WEBHOOK_RETRY_SECONDS = env.webhook_retry_seconds

VECTOR_INDEX_UNITS = env.vector_index_units
RECALL_STATEMENT_SECONDS = env.recall_statement_seconds
RECALL_TRACE_SAMPLE = env.recall_trace_sample
RECALL_LOG_DAYS = env.recall_log_days

MODEL_THREADS = env.model_threads
EMBEDDING_PROVIDER = env.embedding_provider
EMBEDDING_MODEL = env.embedding_model
EMBEDDING_BASE_URL = env.embedding_base_url
EMBEDDING_API_KEY = env.embedding_api_key.get_secret_value() if env.embedding_api_key else None
EMBEDDING_QUERY_PREFIX = env.embedding_query_prefix
EMBEDDING_MODELS = [one.write() for one in env.embedding_models]
RERANKING_PROVIDER = env.reranking_provider
RERANKING_MODEL = env.reranking_model
RERANKING_BASE_URL = env.reranking_base_url
RERANKING_API_KEY = env.reranking_api_key.get_secret_value() if env.reranking_api_key else None
RERANKING_LEAST_SECONDS = env.reranking_least_seconds
OPINION_STEP = env.opinion_step
OPINION_REACH = env.opinion_reach
OBSERVATION_LEAST_FACTS = env.observation_least_facts
OBSERVATION_LEAST_SHARE = env.observation_least_share
OBSERVATION_QUIET_SECONDS = env.observation_quiet_seconds
LLM_BASE_URL = env.llm_base_url
LLM_API_KEY = env.llm_api_key.get_secret_value() if env.llm_api_key else None
LLM_MODEL = env.llm_model
LLM_STRUCTURED_OUTPUT = env.llm_structured_output
LLM_PROVIDER = env.llm_provider
LLM_REASONING_EFFORT = env.llm_reasoning_effort
LLM_TEMPERATURE = env.llm_temperature
LLM_TIMEOUT_SECONDS = env.llm_timeout_seconds
LLM_MAX_RETRIES = env.llm_max_retries
LLM_MAX_CONCURRENCY = env.llm_max_concurrency
LLM_EXTRACT = env.llm_extract.write()
LLM_REFLECT = env.llm_reflect.write()
LLM_OBSERVE = env.llm_observe.write()
LLM_JUDGE = env.llm_judge.write()
LLM_FALLBACK = env.llm_fallback.write()
OWN_LLM_PRIVATE_ADDRESSES = env.own_llm_private_addresses

TRACING_URL = env.tracing_url
RATE_LIMIT_PER_KEY = env.rate_limit_per_key
RATE_LIMIT_PER_TENANT = env.rate_limit_per_tenant
MODEL_PRICES = env.model_prices
PRICE_CURRENCY = env.price_currency
CORS_ALLOWED_ORIGINS = env.cors_allowed_origins
MAX_BODY_BYTES = env.max_body_bytes
DATA_UPLOAD_MAX_MEMORY_SIZE = MAX_BODY_BYTES
METRICS_TOKEN = env.metrics_token.get_secret_value() if env.metrics_token else None
LOGGING_CONFIG = "memoryplatform.observability.logging.configure"
LOGGING = logging_config(level=env.log_level, form=env.log_format)
