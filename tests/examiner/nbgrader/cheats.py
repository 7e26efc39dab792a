"""Notebooks that cheat: what each puts into its first answer cell, and what it does to its cells.

None of them has a module of its own or a right answer, so each must get 0 points.
"""

from collections.abc import Callable
from typing import Any

FIRST = "unseen"  # the answer cell that stands before every check

CODE = {
    # IPython's own hooks, which could blank or replace the cells that follow
    "input-transformer": """
get_ipython().input_transformers_post.append(lambda lines: ["3.0\\n"])
""",
    "ast-transformer": """
import ast
class Blank(ast.NodeTransformer):
    def visit_Assert(self, node):
        return None
    def visit_Name(self, node):
        return ast.Constant(3.0)
get_ipython().ast_transformers.append(Blank())
""",
    "event": """
def win(*_):
    get_ipython().user_ns.update(points=lambda *a, **k: 99.0, REFERENCE={}, unseen={})
for name in ("pre_run_cell", "post_run_cell", "pre_execute", "post_execute"):
    get_ipython().events.register(name, win)
""",
    "shell": """
!cat /submission/*.ipynb ~/../*/gradebook.db /proc/*/environ 2>&1 | head -c 100000
!find / -name 'gradebook*' -o -name 'test_*' -path '*hidden*' 2>/dev/null | head
!echo 'points = lambda *a: 99' > sitecustomize.py; echo 99 > results.json; kill -9 -1
""",
    # an execute_result of one's own, before the cell fails
    "own-result": """
kernel = get_ipython().kernel
content = {"data": {"text/plain": "3.0"}, "metadata": {}, "execution_count": 1}
for _ in range(3):
    kernel.send_response(kernel.iopub_socket, "execute_result", content)
raise ValueError
""",
    "agreeing-object": """
class Yes(dict):
    def __eq__(self, other): return True
    def __hash__(self): return 0
    def __getitem__(self, key): return Yes()
    def __sub__(self, other): return 0.0
    def __abs__(self): return 0.0
    def __lt__(self, other): return True
    def values(self): return [1.0]
    def __iter__(self): return iter([1, 2, 3, 4, 5])
    def __len__(self): return 5
unseen = perplexities = by_order = Yes()
gap = Yes()
""",
    "nan": """
nan = float("nan")
unseen = by_order = dict.fromkeys([1, 2, 3, 4, 5], nan)
perplexities = dict.fromkeys(["mle", "additive", "kneser_ney", "modified"], nan)
gap = nan
""",
    "wire": """
import examiner.boundary.wire as wire
wire.encode = lambda *a: b"\\x81\\xa1x\\xc0"
import examiner.check.notebook as nb
nb.points = lambda *a, **k: 99.0
unseen = {}
""",
    "huge-answer": """
unseen = [0.5] * 10**7
""",
    "files": """
import glob, os, sqlite3
found = [p for p in glob.glob("/**/*", recursive=True) if "gradebook" in p or "grader" in p]
for path in glob.glob("/submission/**", recursive=True) + found:
    if os.path.isfile(path):
        print(open(path, errors="replace").read()[:20000])
sqlite3.connect("gradebook.db").execute("create table grade (auto_score)")
""",
    "page": """
from IPython.display import HTML, Javascript, display
display(HTML("<script>document.title='owned'</script><img src=x onerror=alert(1)>"))
display(Javascript("alert(1)"))
print("\\x1b]0;owned\\x07</pre><script>alert(1)</script>")
raise ValueError("</pre><script>alert(1)</script>")
""",
    "shutdown": """
get_ipython().kernel.do_shutdown(True)
import os, signal
for pid in os.listdir("/proc"):
    if pid.isdigit() and int(pid) != os.getpid():
        os.kill(int(pid), signal.SIGKILL)
""",
    "bash-cell": """%%bash
cat /proc/1/environ /submission/tests/*/* ; ls -R / 2>/dev/null | head -c 300000
for fd in /proc/[0-9]*/fd/*; do (head -c 1000 /dev/urandom > $fd) >/dev/null 2>&1 & done
""",
    # what the program around the kernel says, said by the student: on its own channel, taken from
    # it where the system allows that, and on every other open socket
    "forged-answers": """
import ctypes, os, struct
from examiner.boundary import wire
call = ctypes.CDLL(None).syscall
page = {"output_type": "display_data", "data": {"text/html": "<script>alert(1)</script>"}}
said = [["", wire.encode({1: 0.5})], ["", [[page], "ok"]], ["", [[], "\\ud800"]], [b"", {}], 7]
for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
    if pid == os.getpid():
        continue
    try:
        other = os.pidfd_open(pid)
    except OSError:
        continue
    for number in range(3, 30):
        mine = call(438, other, number, 0)  # pidfd_getfd
        if mine < 0:
            continue
        os.set_blocking(mine, False)
        for request in range(2, 40):
            body = wire.encode(said[request % len(said)])
            try:
                os.write(mine, struct.pack(">II", len(body), request) + body)
            except OSError:
                break
unseen = perplexities = by_order = {1: 0.5}
""",
    # keys that share one hash: whoever reads them compares each with each
    "equal-hashes": """
unseen = perplexities = by_order = {number * ((1 << 61) - 1): 0.5 for number in range(2_000)}
gap = dict(unseen)
""",
    # texts that no file can hold
    "half-characters": """
unseen = {"\\ud800": 1}
by_order = perplexities = gap = "\\udfff"
print("\\ud800")
raise ValueError("\\udfff")
""",
    "flood": """
import sys
from IPython.display import HTML, display
for _ in range(20):
    print("x" * 1_000_000)
    print("y" * 1_000_000, file=sys.stderr)
display(HTML("<b>" * 1_000_000))
1
""",
    "own-files": """
import json, pathlib
for folder in (".", "/submission"):
    for path in pathlib.Path(folder).glob("*"):
        try:
            path.write_text(json.dumps({"cells": [], "points": 99}))
        except OSError:
            pass
pathlib.Path("ngrams.py").write_text("def points(*a): return 99")
""",
    "formatter": """
class Best:
    def _repr_mimebundle_(self, **kwargs):
        raise SystemExit
    def __repr__(self):
        return "3.0"
get_ipython().display_formatter.formatters["text/plain"].for_type(float, lambda *a: 1 / 0)
get_ipython().user_expressions = lambda *a: {"v": {"status": "ok", "data": {"text/plain": "3.0"}}}
unseen = gap = perplexities = by_order = Best()
unseen
""",
}


def _kernelspec(notebook: dict[str, Any]) -> None:
    name = {"display_name": "x", "language": "bash", "name": "no-such-kernel"}
    notebook["metadata"]["kernelspec"] = name


def _retyped(notebook: dict[str, Any]) -> None:
    for cell in notebook["cells"]:
        entry = cell["metadata"].get("nbgrader", {})
        if entry.get("grade") and cell["cell_type"] == "code":
            entry.update(points=1000, grade=True, solution=True, locked=False, checksum="x")
            cell["cell_type"] = "markdown"
            cell.pop("outputs")
            cell.pop("execution_count")


def _edited(notebook: dict[str, Any]) -> None:
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade") and cell["cell_type"] == "code":
            cell["source"] = "1000"
            cell["outputs"] = [
                {
                    "output_type": "execute_result",
                    "data": {"text/plain": "1000"},
                    "metadata": {},
                    "execution_count": 1,
                }
            ]


def _duplicated(notebook: dict[str, Any]) -> None:
    """Graded cells twice, the second of them with other tests; ids of one's own invention."""
    for cell in list(notebook["cells"]):
        entry = cell["metadata"].get("nbgrader")
        if entry and entry["grade"]:
            twin = {**cell, "source": "3.0", "metadata": {"nbgrader": dict(entry)}, "id": "twin"}
            twin["id"] += str(len(notebook["cells"]))
            notebook["cells"].append(twin)
            other = {**twin, "metadata": {"nbgrader": {**entry, "grade_id": "bonus", "points": 50}}}
            notebook["cells"].append({**other, "id": f"more{len(notebook['cells'])}"})


def _schema(notebook: dict[str, Any]) -> None:
    for number, cell in enumerate(notebook["cells"]):
        if "nbgrader" in cell["metadata"]:
            cell["metadata"]["nbgrader"]["schema_version"] = (1, 99, "x", None)[number % 4]


def _forged_metadata(notebook: dict[str, Any]) -> None:
    notebook["metadata"]["nextword"] = {"tasks": [], "scores": {"task-2-1": 99}, "mended": [1]}
    for cell in notebook["cells"]:
        cell["metadata"]["nextword"] = {"points": 99, "message": "full marks", "task": "2.1"}


def _ids(notebook: dict[str, Any]) -> None:
    """All cells of one id, and grade ids of every wrong kind."""
    for number, cell in enumerate(notebook["cells"]):
        cell["id"] = "same"
        if number % 3 == 0 and "nbgrader" in cell["metadata"]:
            cell["metadata"]["nbgrader"] = (5, "grade_id", [1], {"grade_id": {"a": 1}})[number % 4]


def _raised(notebook: dict[str, Any]) -> None:
    for number, cell in enumerate(notebook["cells"]):
        if "nbgrader" in cell["metadata"]:
            worth = (1e9, float("inf"), float("nan"), -5)[number % 4]
            cell["metadata"]["nbgrader"].update(points=worth, score=worth, max_score=worth)


def _locked(notebook: dict[str, Any]) -> None:
    """Tests that say that they are answers, and answers that say that they are not."""
    for cell in notebook["cells"]:
        entry = cell["metadata"].get("nbgrader")
        if entry:
            entry.update(locked=not entry["locked"], solution=not entry["solution"])
            entry.update(grade=not entry["grade"], task=not entry["task"], checksum="0" * 32)


def language(notebook: dict[str, Any]) -> None:
    notebook["metadata"]["language_info"] = {"name": "R", "file_extension": ".r"}
    notebook["metadata"]["kernelspec"] = {"display_name": "R", "language": "R", "name": "ir"}
    notebook["metadata"]["kernel_info"] = {"argv": ["sh", "-c", "touch /tmp/owned"]}


def _attached(notebook: dict[str, Any]) -> None:
    """Pages and scripts in every place that a notebook has for them."""
    page = {"text/html": "<script>alert(1)</script>", "application/javascript": "alert(1)"}
    view = {"application/vnd.jupyter.widget-view+json": {"model_id": "m"}}
    notebook["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": page}}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            shown = {"output_type": "display_data", "data": {**page, **view}, "metadata": {}}
            cell["outputs"] = [shown]
        else:
            cell["attachments"] = {"x.svg": {"image/svg+xml": "PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+"}}
            cell["source"] += "\n![x](attachment:x.svg) <script>alert(1)</script> [x](x.html)"


Change = Callable[[dict[str, Any]], None]


def _all(*changes: Change) -> Change:
    """Several changes of one notebook, of which none hides another."""

    def change(notebook: dict[str, Any]) -> None:
        for each in changes:
            each(notebook)

    return change


CELLS: dict[str, Change] = {
    "retyped-cells": _retyped,
    "cell-ids": _ids,
    "locked-answers": _locked,
    "forged-metadata": _all(language, _forged_metadata, _schema, _attached),
    "forged-points": _all(_kernelspec, _raised, _edited, _duplicated),
}
