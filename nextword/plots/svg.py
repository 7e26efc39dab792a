"""From a matplotlib figure to an SVG that takes font and colours of the page around it.

Leaves out: choosing colours (`style`). On its own, as JupyterLab shows it, a picture has white
paper and the colours of a light page. In a page of the book the style sheet sets `--fig-…`.
"""

import hashlib
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

import numpy as np
from matplotlib.figure import Figure

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
HREF = f"{{{XLINK}}}href"
LONGEST = 60  # points; of a longer line only ends and extremes are listed as drawn
ET.register_namespace("", SVG)
ET.register_namespace("xlink", XLINK)


@dataclass(frozen=True)
class Picture:
    """A drawing that a notebook shows as SVG, and the matplotlib figure it was made from."""

    svg: str
    figure: Figure = field(repr=False, compare=False)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"image/svg+xml": self.svg, "text/plain": "<picture>"}


def picture(figure: Figure, names: Mapping[str, str]) -> Picture:
    """Write a figure as SVG; names: {colour drawn with, as #rrggbb: name of the page's colour}."""
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={"Date": None}, transparent=True)
    # ElementTree reads what matplotlib has just written, never a file from elsewhere
    root = ET.fromstring(file.getvalue())
    _drop(root, "metadata")
    _drop(root, "defs/style")  # its rule for * would reach the whole page
    root.set("stroke-linejoin", "round")
    root.set("font-family", "sans-serif")  # an attribute: any style sheet overrides it
    root.set("data-drawn", " ".join(sorted({f"{v:.4g}" for v in _drawn(figure)}, key=float)))
    for size in ("width", "height"):
        del root.attrib[size]
    for element in root.iter():
        _simplify(element, names)
    _prefix_ids(root)
    _, _, width, height = root.attrib["viewBox"].split()
    paper = {"class": "paper", "width": width, "height": height, "fill": "#ffffff"}
    root.insert(0, ET.Element(f"{{{SVG}}}rect", paper))
    return Picture(ET.tostring(root, encoding="unicode"), figure)


def labelled(svg: str, alt: str) -> str:
    """Return a picture for a page: on the page's paper, with its alternative text."""
    root = ET.fromstring(svg)  # what our own plots have drawn
    for paper in root.findall(f"{{{SVG}}}rect[@class='paper']"):
        root.remove(paper)
    root.attrib.update({"role": "img", "aria-label": alt})
    return ET.tostring(root, encoding="unicode")


def _drop(root: ET.Element, path: str) -> None:
    """Remove an element of this path, if there is one."""
    *parents, last = path.split("/")
    parent = root.find("/".join(f"{{{SVG}}}{name}" for name in parents)) if parents else root
    if parent is not None and (child := parent.find(f"{{{SVG}}}{last}")) is not None:
        parent.remove(child)


def _drawn(figure: Figure) -> Iterator[float]:
    """Give the numbers that a picture shows: points, ends of bars, what is written."""
    for ax in figure.axes:
        for line in ax.lines:
            for series in line.get_data():
                values: list[float] = np.asarray(series, float).tolist()
                kept = [*values[:1], *values[-1:], min(values), max(values)]
                yield from values if len(values) <= LONGEST else kept
        for bar in ax.patches:
            box = bar.get_path().get_extents(bar.get_patch_transform())
            yield from (float(box.width), float(box.height))
        for points in ax.collections:
            offsets: list[list[float]] = np.asarray(points.get_offsets(), float).tolist()
            if len(offsets) == 1:
                yield from offsets[0]
        for text in ax.texts:
            yield from map(float, re.findall(r"-?\d+(?:\.\d+)?", text.get_text()))


def _simplify(element: ET.Element, names: Mapping[str, str]) -> None:
    """Name the colours, drop the font, and write no more digits than a screen can show."""
    for key in ("d", "x", "y", "transform", "points"):
        if key in element.attrib:
            text = re.sub(r"-?\d+\.\d+", lambda m: f"{float(m[0]):.2f}", element.attrib[key])
            element.set(key, " ".join(text.split()))
    if "style" in element.attrib:
        style = re.sub(r"font-family: [^;]*(; |$)", "", element.attrib["style"])
        element.set("style", re.sub(r"#[0-9a-f]{6}", lambda m: _named(m[0], names), style))
    transform = element.attrib.get("transform", "")
    if transform.startswith("rotate(-0 "):
        del element.attrib["transform"]
    if element.text and not element.text.strip():
        element.text = None
    if element.tail and not element.tail.strip():
        element.tail = "\n"


def _named(colour: str, names: Mapping[str, str]) -> str:
    """The page's colour of this name, or the colour itself where there is no page around."""
    return f"var(--fig-{names[colour]}, {colour})" if colour in names else colour


def _prefix_ids(root: ET.Element) -> None:
    """Keep only ids that are referred to, with a prefix that no other picture of a page has.

    They are numbered: matplotlib's own ids change with the last bit of a number, which is not the
    same on every machine.
    """
    used = set(re.findall(r"(?:url\(#|href=\"#)([\w.-]+)", ET.tostring(root, encoding="unicode")))
    ids = [element.attrib["id"] for element in root.iter() if element.get("id") in used]
    _rename_ids(root, {name: str(number) for number, name in enumerate(ids)})
    drawn = ET.tostring(root, encoding="unicode")
    prefix = "f" + hashlib.sha256(drawn.encode()).hexdigest()[:8]
    _rename_ids(root, {str(number): f"{prefix}-{number}" for number in range(len(ids))})


def _rename_ids(root: ET.Element, names: Mapping[str, str]) -> None:
    """Give ids and references their new names; an id without one is dropped."""
    for element in root.iter():
        if (name := element.attrib.pop("id", "")) in names:
            element.set("id", names[name])
        for key, value in element.attrib.items():
            if key == HREF:
                element.set(key, f"#{names[value[1:]]}")
            elif "url(#" in value:
                element.set(key, re.sub(r"url\(#([\w.-]+)", lambda m: f"url(#{names[m[1]]}", value))
