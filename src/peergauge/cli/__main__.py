"""``python -m peergauge.cli``."""

from peergauge.cli import main

main()
