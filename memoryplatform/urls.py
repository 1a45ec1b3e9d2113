from django.contrib import admin
from django.urls import include, path
from django.views.generic import TemplateView

from memoryplatform.api.compat.hindsight import version
from memoryplatform.api.errors import json_error
from memoryplatform.observability import health, views

urlpatterns = [
    path("", TemplateView.as_view(template_name="home.html"), name="home"),
    path("health", health.live),
    path("health/ready", health.ready),
    path("metrics", views.metrics),
    path("health/live", version.show_life),
    path("version", version.show_version),
    path("v1/default/", include("memoryplatform.api.compat.hindsight.urls")),
    path("v1/", include("memoryplatform.api.v1.urls")),
    path("", include("memoryplatform.api.compat.mem0.urls")),
    path("admin/", admin.site.urls),
]

handler400 = json_error(400, "The request can't be understood.", "bad_request")
handler403 = json_error(403, "Not allowed.", "permission_denied")
handler404 = json_error(404, "There is nothing at this address.", "not_found")
handler500 = json_error(500, "Something went wrong on our side.", "internal_error")
