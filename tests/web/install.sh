#!/bin/sh
# A PostgreSQL server to test with: nothing to do where there is one, Debian's where it may be had.
for server in /usr/lib/postgresql/*/bin/initdb; do
    [ -x "$server" ] && exit 0
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get -qq update >/dev/null 2>&1
    apt-get -qq install --yes --no-install-recommends postgresql >/dev/null 2>&1 && exit 0
fi
echo "No PostgreSQL could be installed: databases on a server are NOT tested." >&2
exit 0
