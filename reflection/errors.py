"""Errors of rules, directives and mental models.

ReflectionError
├── RuleNotFound
├── RuleExists          another rule of the bank has that name
├── RuleTooWide         a rule that deletes must name a network or a tag
├── DirectiveNotFound
├── MentalModelNotFound
├── MentalModelExists   another model of the bank has that id
├── KnowledgeNodeNotFound
├── KnowledgeNodeInvalid  a place in the tree, or an option, that a node can't have
└── ChangedMeanwhile    the caller edits an older version
"""


class ReflectionError(Exception):
    """`sentence` takes the arguments of the error."""

    code = "reflection_error"
    sentence = ""

    def __init__(self, *names: object) -> None:
        super().__init__(self.sentence.format(*names))


class RuleNotFound(ReflectionError):
    code = "retention_rule_not_found"
    sentence = "Retention rule {} not found."


class RuleExists(ReflectionError):
    code = "retention_rule_exists"
    sentence = "The retention rule '{}' exists already."


class RuleTooWide(ReflectionError):
    code = "retention_rule_too_wide"
    sentence = "A rule that deletes needs a network or a tag."


class DirectiveNotFound(ReflectionError):
    code = "directive_not_found"
    sentence = "Directive {} not found."


class MentalModelNotFound(ReflectionError):
    code = "mental_model_not_found"
    sentence = "Mental model '{}' not found."


class MentalModelExists(ReflectionError):
    code = "mental_model_exists"
    sentence = "The mental model '{}' exists already."


class KnowledgeNodeNotFound(ReflectionError):
    code = "knowledge_node_not_found"
    sentence = "Knowledge node '{}' not found."


class KnowledgeNodeInvalid(ReflectionError):
    code = "knowledge_node_invalid"
    sentence = "{}"


class ChangedMeanwhile(ReflectionError):
    code = "changed_meanwhile"
    sentence = "It was changed since it was read."
