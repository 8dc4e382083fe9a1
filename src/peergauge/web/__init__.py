"""The web page: the same calls as the command line, for people who would rather look.

Only :mod:`peergauge.cli.serving` imports this package, because it needs the extra
``peergauge[web]``. The layers are thin: :mod:`~peergauge.web.store` keeps what was acknowledged,
:mod:`~peergauge.web.workbench` opens and grades, :mod:`~peergauge.web.changes` changes,
:mod:`~peergauge.web.views` says what a screen shows, and the routers of
:mod:`peergauge.web.screens` and :mod:`peergauge.web.api` answer in HTML and in JSON.
"""
