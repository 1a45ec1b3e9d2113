"""Addresses of the authorization server. allauth looks its views up in the namespace `idp:oidc`."""

from allauth.idp.oidc import views as oidc
from django.urls import include, path

from memoryplatform.oauth import views
from memoryplatform.oauth.views import refuse_unreadable

server = [
    path(".well-known/jwks.json", oidc.jwks, name="jwks"),
    path("oauth/authorize", refuse_unreadable(views.AuthorizationView.as_view()), name="authorization"),
    path("oauth/token", refuse_unreadable(views.TokenView.as_view()), name="token"),
    path("oauth/revoke", refuse_unreadable(oidc.revoke), name="revoke"),
    path("oauth/register", refuse_unreadable(oidc.client_registration), name="client_registration"),
]
urlpatterns = [
    path(".well-known/oauth-authorization-server", views.show_server),
    path(".well-known/openid-configuration", views.show_server),
    path(".well-known/oauth-protected-resource", views.show_resource),
    path(".well-known/oauth-protected-resource/mcp", views.show_resource),
    path(".well-known/oauth-protected-resource/mcp/<str:bank_id>", views.show_resource),
    path("", include(([path("", include((server, "oidc")))], "idp"))),
]
