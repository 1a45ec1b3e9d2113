from django.contrib import admin
from django.urls import include, path
from django.views.generic import TemplateView

from memoryplatform.api.compat.hindsight import version
from memoryplatform.api.compat.hindsight.not_served import NotServedView
from memoryplatform.api.compat.unrouted import json_error_by_path, tell_of_failure, tell_what_is_not_there
from memoryplatform.observability import health, views

NO_SCHEMA = "There is no schema of templates here: what GET .../export answers, POST .../import takes."

urlpatterns = [
    path("", TemplateView.as_view(template_name="home.html"), name="home"),
    path("health", health.live),
    path("health/ready", health.ready),
    path("metrics", views.metrics),
    path("health/live", version.show_life),
    path("version", version.show_version),
    path("v1/version", version.show_version),
    path("v1/bank-template-schema", NotServedView.as_view(sentence=NO_SCHEMA)),
    path("v1/default/", include("memoryplatform.api.compat.hindsight.urls")),
    path("v1/", include("memoryplatform.api.v1.urls")),
    path("", include("memoryplatform.api.compat.mem0.urls")),
    path("admin/", admin.site.urls),
]

handler400 = json_error_by_path(400, "The request can't be understood.", "bad_request")
handler403 = json_error_by_path(403, "Not allowed.", "permission_denied")
handler404 = tell_what_is_not_there
handler500 = tell_of_failure
