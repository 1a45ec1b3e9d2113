from benchmarks.entity_resolution.scoring import build_pairs, score_entity_resolution

__all__ = ["build_pairs", "score_entity_resolution"]
