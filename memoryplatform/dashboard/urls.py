from django.urls import path

from memoryplatform.dashboard import credentials, design, palette, people, quarantine, tenant, usage
from memoryplatform.dashboard.playgrounds.urls import urlpatterns as playgrounds

urlpatterns = [
    path("dashboard/", tenant.home, name="dashboard"),
    path("dashboard/palette/", palette.palette, name="palette"),
    path("dashboard/tenants/new/", tenant.found_tenant, name="found_tenant"),
    path("dashboard/tenants/switch/", tenant.switch_tenant, name="switch_tenant"),
    path("dashboard/members/", people.members, name="members"),
    path("dashboard/members/invite/", people.invite, name="invite"),
    path("dashboard/members/<uuid:user_id>/role/", people.change_role, name="change_role"),
    path("dashboard/members/<uuid:user_id>/remove/", people.remove_member, name="remove_member"),
    path("dashboard/invitations/<uuid:invitation_id>/revoke/", people.revoke_invitation, name="revoke_invitation"),
    path("dashboard/keys/", credentials.api_keys, name="api_keys"),
    path("dashboard/keys/<uuid:key_id>/rotate/", credentials.rotate_key, name="rotate_key"),
    path("dashboard/keys/<uuid:key_id>/revoke/", credentials.revoke_key, name="revoke_key"),
    path("dashboard/quarantine/", quarantine.quarantine, name="quarantine"),
    path("dashboard/quarantine/<uuid:item_id>/release/", quarantine.release_quarantined, name="release_quarantined"),
    path("dashboard/quarantine/<uuid:item_id>/delete/", quarantine.delete_quarantined, name="delete_quarantined"),
    path("dashboard/usage/", usage.usage, name="usage"),
    path("dashboard/plan/", usage.plan, name="plan"),
    path("dashboard/apps/", credentials.connected_apps, name="connected_apps"),
    path("dashboard/apps/<uuid:app_id>/disconnect/", credentials.disconnect_app, name="disconnect_app"),
    path("dashboard/llm/", tenant.own_llm, name="own_llm"),
    path("dashboard/llm/delete/", tenant.delete_own_llm, name="delete_own_llm"),
    path("dashboard/audit/", tenant.audit_log, name="audit_log"),
    path("dashboard/audit/csv/", tenant.audit_csv, name="audit_csv"),
    path("dashboard/settings/", tenant.tenant_settings, name="tenant_settings"),
    path("dashboard/settings/delete/", tenant.delete_tenant, name="delete_tenant"),
    path("dashboard/settings/keep/", tenant.keep_tenant, name="keep_tenant"),
    *playgrounds,
    path("design/", design.design, name="design"),
    path("invitations/<str:token>/", people.invitation, name="invitation"),
]
