from django.apps import AppConfig

from banks.former_values import register_former_values

# Opinions change by their revisions. The first one, without a confidence before, formed the opinion.
FORMER_OPINIONS = """
SELECT jsonb_build_object('confidence', revision.confidence_before) || CASE
    WHEN revision.text_before = revision.text_after THEN '{{}}'::jsonb
    ELSE jsonb_build_object('text', revision.text_before) END, revision.created_at, revision.id
FROM reflection_opinionrevision AS revision
WHERE revision.tenant_id = $1 AND revision.opinion_id = unit.id AND revision.created_at > {known}
  AND revision.confidence_before IS NOT NULL
"""


class ReflectionConfig(AppConfig):
    name = "reflection"

    def ready(self) -> None:
        register_former_values(FORMER_OPINIONS)
