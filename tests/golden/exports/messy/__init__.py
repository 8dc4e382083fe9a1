"""Exports with the mess of real classes, each with the interpretation of a careful person.

Every module here holds cases; :mod:`tests.golden.test_messy_exports` opens each of them.
``python -m tests.golden.exports.messy FOLDER`` writes all files, to be looked at.
"""
