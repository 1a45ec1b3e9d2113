"""The engine that needs no LLM: a parser, rules and tables. Its quality is measured, see docs/benchmarks.md."""
