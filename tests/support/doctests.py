"""The examples of docstrings, run as tests."""

from __future__ import annotations

import doctest
from types import ModuleType


def run_examples(module: ModuleType, **names: object) -> doctest.TestResults:
    """Run the examples of a module with more names in scope."""
    found = doctest.DocTestFinder(recurse=True).find(module, extraglobs=names)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for example in found:
        runner.run(example)
    return runner.summarize(verbose=False)
