"""What can go wrong with what an agent believes.

ReflectionError
├── RuleNotFound     there is no such retention rule
├── RuleExists       another rule of the bank has that name
├── RuleTooWide      it would delete without saying what
├── DirectiveNotFound
├── MentalModelNotFound
├── MentalModelExists   another one of the bank has that id
└── ChangedMeanwhile    somebody else edited it since it was read
"""

from uuid import UUID


class ReflectionError(Exception):
    code = "reflection_error"


class RuleNotFound(ReflectionError):
    code = "retention_rule_not_found"

    def __init__(self, rule_id: UUID) -> None:
        super().__init__(f"Retention rule {rule_id} not found.")


class RuleExists(ReflectionError):
    code = "retention_rule_exists"

    def __init__(self, name: str) -> None:
        super().__init__(f"The retention rule '{name}' exists already.")


class RuleTooWide(ReflectionError):
    code = "retention_rule_too_wide"

    def __init__(self) -> None:
        super().__init__("A rule that deletes needs a network or a tag.")


class DirectiveNotFound(ReflectionError):
    code = "directive_not_found"

    def __init__(self, directive_id: UUID) -> None:
        super().__init__(f"Directive {directive_id} not found.")


class MentalModelNotFound(ReflectionError):
    code = "mental_model_not_found"

    def __init__(self, key: str) -> None:
        super().__init__(f"Mental model '{key}' not found.")


class MentalModelExists(ReflectionError):
    code = "mental_model_exists"

    def __init__(self, key: str) -> None:
        super().__init__(f"The mental model '{key}' exists already.")


class ChangedMeanwhile(ReflectionError):
    code = "changed_meanwhile"

    def __init__(self) -> None:
        super().__init__("It was changed since it was read.")
