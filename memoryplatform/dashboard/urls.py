from django.urls import path

from memoryplatform.dashboard import quarantine, views

urlpatterns = [
    path("dashboard/", views.home, name="dashboard"),
    path("dashboard/tenants/new/", views.found_tenant, name="found_tenant"),
    path("dashboard/tenants/switch/", views.switch_tenant, name="switch_tenant"),
    path("dashboard/members/", views.members, name="members"),
    path("dashboard/members/invite/", views.invite, name="invite"),
    path("dashboard/members/<uuid:user_id>/role/", views.change_role, name="change_role"),
    path("dashboard/members/<uuid:user_id>/remove/", views.remove_member, name="remove_member"),
    path("dashboard/invitations/<uuid:invitation_id>/revoke/", views.revoke_invitation, name="revoke_invitation"),
    path("dashboard/keys/", views.api_keys, name="api_keys"),
    path("dashboard/keys/<uuid:key_id>/rotate/", views.rotate_key, name="rotate_key"),
    path("dashboard/keys/<uuid:key_id>/revoke/", views.revoke_key, name="revoke_key"),
    path("dashboard/quarantine/", quarantine.quarantine, name="quarantine"),
    path("dashboard/quarantine/<uuid:item_id>/release/", quarantine.release_quarantined, name="release_quarantined"),
    path("dashboard/quarantine/<uuid:item_id>/delete/", quarantine.delete_quarantined, name="delete_quarantined"),
    path("dashboard/usage/", views.usage, name="usage"),
    path("dashboard/plan/", views.plan, name="plan"),
    path("dashboard/apps/", views.connected_apps, name="connected_apps"),
    path("dashboard/apps/<uuid:app_id>/disconnect/", views.disconnect_app, name="disconnect_app"),
    path("dashboard/llm/", views.own_llm, name="own_llm"),
    path("dashboard/llm/delete/", views.delete_own_llm, name="delete_own_llm"),
    path("dashboard/audit/", views.audit_log, name="audit_log"),
    path("dashboard/audit/csv/", views.audit_csv, name="audit_csv"),
    path("dashboard/settings/", views.tenant_settings, name="tenant_settings"),
    path("dashboard/settings/delete/", views.delete_tenant, name="delete_tenant"),
    path("dashboard/settings/keep/", views.keep_tenant, name="keep_tenant"),
    path("invitations/<str:token>/", views.invitation, name="invitation"),
]
