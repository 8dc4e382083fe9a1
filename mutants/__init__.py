"""Mutation testing: small changes of the source, each of which some test should notice.

A mutant is the package with one change, such as ``<`` instead of ``<=``. If the tests of its module
still pass, the mutant survives, and no test decides what the changed line does. ``python -m
mutants`` tries a random sample and writes a page with all survivors:

- ``changes.py`` makes mutants of a source text,
- ``areas.py`` declares which modules are mutated and which tests decide about each of them,
- ``laboratory.py`` tries mutants in a copy of the repository, within limits of time and memory,
- ``explained.py`` and ``explained.toml`` know the survivors that no test can kill, and why,
- ``page.py`` writes the page.

Why a tool of our own: mutmut passes over decorated functions, which all kernels are; cosmic-ray
knows one command for all modules and neither samples nor copies by itself; mutatest is no longer
maintained, and as it changes only Python's cached bytecode, Numba would load the machine code of
the unchanged kernel.
"""
