from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

from memoryplatform.api.compat.fallback_errors import handle_not_found, handle_server_error, make_error_view
from memoryplatform.api.compat.hindsight import templates, version
from memoryplatform.api.openapi import show_openapi
from memoryplatform.dashboard import public
from memoryplatform.observability import health, views

admin.autodiscover()
# The second factor and the limits of log-in count for the admin too.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

urlpatterns = [
    path("", public.home, name="home"),
    path("docs", public.lead_to, {"route": "docs"}),
    path("openapi.json", show_openapi),  # Hindsight's address, with our description
    path("redoc", public.lead_to, {"route": "api_reference"}),
    path("v1/docs", public.lead_to, {"route": "api_reference"}),
    path("v1/redoc", public.lead_to, {"route": "api_reference"}),
    path("docs/", public.docs, name="docs"),
    path("docs/search/", public.docs_search, name="docs_search"),
    path("docs/api/", public.api_reference, name="api_reference"),
    path("docs/api/reference/", public.lead_to, {"route": "api_reference"}),
    path("docs/api/<slug:operation_id>/", public.api_operation, name="api_operation"),
    path("docs/<path:slug>/", public.docs_page, name="docs_page"),
    path("health", health.live),
    path("health/ready", health.ready),
    path("metrics", views.metrics),
    path("health/live", version.show_life),
    path("version", version.show_version),
    path("v1/version", version.show_version),
    path("v1/bank-template-schema", templates.show_schema),
    path("v1/default/", include("memoryplatform.api.compat.hindsight.urls")),
    path("v1/", include("memoryplatform.api.v1.urls")),
    path("v1/", include("memoryplatform.api.compat.openai.urls")),
    path("", include("memoryplatform.api.compat.mem0.urls")),
    path("admin/", admin.site.urls),
    path("accounts/", include("allauth.urls")),
    path("", include("memoryplatform.dashboard.urls")),
    path("", include("memoryplatform.oauth.urls")),
]

handler400 = make_error_view(400, "The request can't be understood.", "bad_request")
handler403 = make_error_view(403, "Not allowed.", "permission_denied")
handler404 = handle_not_found
handler500 = handle_server_error
