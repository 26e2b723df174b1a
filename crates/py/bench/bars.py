"""Bars of the benchmarks, printed as ``impinge-bench missed`` reads them: ``bar: CLAIM, FIGURE: met`` or ``missed`` or ``open``."""

from __future__ import annotations

import statistics
import sys
import time
from typing import Any, Callable, Optional

_MISSED: list[str] = []


def bar(claim: str, figure: str, met: Optional[bool]) -> None:
    """Prints whether a claim holds; ``None`` says that nothing was measured that could decide it."""
    word = "open" if met is None else "met" if met else "missed"
    if met is not True:
        _MISSED.append(claim)
    print(f"bar: {claim}, {figure}: {word}", flush=True)


def end() -> None:
    """Ends the program: 1 when a bar was missed or stayed open."""
    sys.exit(1 if _MISSED else 0)


def _times(call: Callable[[], Any], runs: int) -> tuple[list[float], Any]:
    answer = call()
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return times, answer


def median(call: Callable[[], Any], runs: int) -> tuple[float, Any]:
    """The median time of several calls after one that is not counted, and its answer."""
    times, answer = _times(call, runs)
    return statistics.median(times), answer


def fastest(call: Callable[[], Any], runs: int) -> tuple[float, Any]:
    """The same for the least time: other programs can only make a run slower."""
    times, answer = _times(call, runs)
    return min(times), answer
