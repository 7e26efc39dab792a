"""A progress line for work that takes minutes, on stderr, where a person looks."""

from __future__ import annotations


class Bar:
    """One line for each model at work; nothing where stderr is no terminal."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        console = Console(stderr=True)
        self._shown = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._tasks: dict[str, object] = {}
        self._shares: dict[str, float] = {}

    def __enter__(self) -> Bar:
        self._shown.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._shown.stop()

    def progress(self, model: str, doing: str, share: float) -> None:
        """Show what is done with a model, and how much of it is done."""
        if model not in self._tasks:
            self._tasks[model] = self._shown.add_task(model, total=1.0)
        task = self._tasks[model]
        if share < self._shares.get(model, 0.0):  # something else has begun, at its own speed
            self._shown.reset(task, completed=0.0)  # type: ignore[arg-type]
        self._shares[model] = share
        self._shown.update(task, description=f"{model}: {doing}", completed=share)  # type: ignore[arg-type]
