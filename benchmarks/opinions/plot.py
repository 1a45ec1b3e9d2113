"""The course of an opinion's confidence as a small SVG, drawn without a library."""

from collections.abc import Sequence
from html import escape

from benchmarks.opinions.stream import Point

WIDTH, HEIGHT, MARGIN = 760, 320, 48
STEEPS = (0.0, 0.25, 0.5, 0.75, 1.0)
COLOURS = {"reinforce": "#2e7d32", "weaken": "#ef6c00", "contradict": "#c62828", "": "#757575"}


def draw(title: str, points: Sequence[Point]) -> str:
    line = " ".join(
        f"{place_x(place, len(points)):.1f},{place_y(point.confidence):.1f}" for place, point in enumerate(points)
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-size="11">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{MARGIN}" y="24" font-size="14" font-family="sans-serif">{escape(title)}</text>',
        *map(draw_level, STEEPS),
        f'<polyline points="{line}" fill="none" stroke="#1565c0" stroke-width="2"/>',
        *(draw_point(point, place, len(points)) for place, point in enumerate(points)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def draw_level(confidence: float) -> str:
    y = place_y(confidence)
    return (
        f'<line x1="{MARGIN}" y1="{y:.1f}" x2="{WIDTH - MARGIN}" y2="{y:.1f}" stroke="#e0e0e0"/>'
        f'<text x="{MARGIN - 8}" y="{y + 4:.1f}" text-anchor="end">{confidence:.2f}</text>'
    )


def draw_point(point: Point, place: int, count: int) -> str:
    x, y = place_x(place, count), place_y(point.confidence)
    told = escape(f"{point.confidence:.2f} {point.verdict}: {point.fact or 'formed'}")
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{COLOURS.get(point.verdict, "#757575")}"><title>{told}</title>'
        f'</circle><text x="{x:.1f}" y="{HEIGHT - 16}" text-anchor="middle">{escape(point.verdict or "-")}</text>'
    )


def place_x(place: int, count: int) -> float:
    return MARGIN + (WIDTH - 2 * MARGIN) * place / max(1, count - 1)


def place_y(confidence: float) -> float:
    return HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * confidence
