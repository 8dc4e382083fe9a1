"""The command that serves the web page, and the one that manages its accounts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peergauge.cli._app import CLASS, app, note, stopped
from peergauge.core.errors import ParameterError
from peergauge.core.optional import needing
from peergauge.core.private_folder import private_folder

if TYPE_CHECKING:
    import socket

    from peergauge.web.store import Store

WEB_PACKAGES = ("fastapi", "uvicorn", "sqlalchemy", "alembic", "multipart", "django_htmx")
DATABASE_HELP = (
    "SQLAlchemy URL, such as postgresql+psycopg://HOST/NAME; by default a file of SQLite in the "
    "folder."
)

Database = Annotated[
    str | None, typer.Option(help=DATABASE_HELP, envvar="PEERGAUGE_DATABASE", show_envvar=True)
]
DataFolder = Annotated[
    Path | None, typer.Option("--folder", help="Folder of all data; ~/.peergauge by default.")
]


@app.command(rich_help_panel=CLASS)
def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen on; only this machine by default.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 for any.")] = 8010,
    folder: DataFolder = None,
    database: Database = None,
    token: Annotated[
        str | None,
        typer.Option(
            help="Secret that everybody has to give; made up if others can reach the address, or "
            "the names of --allow-host.",
            envvar="PEERGAUGE_TOKEN",
        ),
    ] = None,
    accounts: Annotated[
        bool,
        typer.Option("--accounts", help="Let people sign in; see 'peergauge account --help'."),
    ] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="Name by which the server may be addressed; repeatable."),
    ] = None,
    max_upload: Annotated[
        int, typer.Option(min=1, max=4096, help="Size of one upload in MiB.")
    ] = 64,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
) -> None:
    """Serve the web page: read, check and grade classes in a browser.

    The page runs on this machine and loads nothing from elsewhere. Every screen shows the command
    that does the same. If others can reach the address, everybody needs the token that is printed,
    or an account with --accounts.
    """
    with needing(*WEB_PACKAGES, sentence="The web page needs some packages"):
        import uvicorn

        from peergauge.web.app import create_app
        from peergauge.web.options import ServeOptions
    import secrets

    where = _folder(folder)
    options = ServeOptions(
        database=database or _sqlite(where), folder=where, host=host, port=port,
        accounts=accounts, max_upload_bytes=max_upload * 2**20,
        extra_hosts=tuple(allow_host or ()),
    )  # fmt: skip
    secret = token or (secrets.token_urlsafe(24) if options.is_shared and not accounts else "")
    from dataclasses import replace

    listening = _socket(host, port)
    options = replace(options, token=secret, port=listening.getsockname()[1])
    made = create_app(options)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{options.port}/" + (f"?token={secret}" if secret else "")
    note(f"The page is at {address}")
    note(f"Its data are in {where if database is None else 'the database'}. Stop it with Ctrl-C.")
    if browser and options.is_local:
        _open_later(address)
    config = uvicorn.Config(
        made, log_level="warning", server_header=False, date_header=True, proxy_headers=False,
        timeout_graceful_shutdown=5,
    )  # fmt: skip
    try:
        with private_folder():
            uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt as interrupt:
        raise stopped(interrupt, "The server has stopped.") from None


@app.command(rich_help_panel=CLASS)
def account(
    name: Annotated[str, typer.Argument(help="Name of the account.")],
    delete: Annotated[bool, typer.Option("--delete", help="Delete the account.")] = False,
    folder: DataFolder = None,
    database: Database = None,
) -> None:
    """Add an account for 'peergauge serve --accounts', or give it a new password.

    The password is asked for, or read from standard input. Whoever creates a course is its
    instructor and can give others a role in it.
    """
    with needing(*WEB_PACKAGES, sentence="The web page needs some packages"):
        from peergauge.web.store import Store

    store = Store.open(database or _sqlite(_folder(folder)))
    try:
        if delete:
            store.delete_account(name)
            note(f"The account {name} is deleted.")
            return
        known = any(one.name == name for one in store.accounts())
        password = _password()
        _save(store, name, password, known=known)
        note(f"The account {name} has a new password." if known else f"{name} can sign in now.")
    finally:
        store.close()


def _save(store: Store, name: str, password: str, *, known: bool) -> None:
    if known:
        store.set_password(name, password)
        store.end_sessions(name)
    else:
        store.add_account(name, password)


def _password() -> str:
    """A password from the terminal, or the first line of standard input."""
    import sys

    if sys.stdin.isatty():
        return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))
    return sys.stdin.readline().rstrip("\r\n")


def _folder(given: Path | None) -> Path:
    """The folder of all data, which only the user may read."""
    found = (Path.home() / ".peergauge") if given is None else given
    if found.exists() and not found.is_dir():
        raise ParameterError(f"{found} is a file; give a folder for the data.")
    found.mkdir(mode=0o700, parents=True, exist_ok=True)
    return found


def _sqlite(folder: Path) -> str:
    return f"sqlite:///{folder.resolve() / 'peergauge.db'}"


def _socket(host: str, port: int) -> socket.socket:
    """A socket on an address; one that is in use is refused with a sentence."""
    import socket

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
    except OSError as error:
        made.close()
        raise ParameterError(
            f"The address {host}:{port} cannot be used ({error.strerror or error}); give another "
            "--port, or 0 for any."
        ) from error
    return made


def _open_later(address: str) -> None:
    """Open the page in a browser as soon as the server listens."""
    import webbrowser
    from threading import Timer

    timer = Timer(0.5, webbrowser.open, (address,))
    timer.daemon = True
    timer.start()
