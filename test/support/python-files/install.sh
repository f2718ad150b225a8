#!/usr/bin/env bash
# Installs the newest DuckDB and Polars for Python into .programs: programs of users that write DuckDB files for
# scheduled imports, and that read what connections write; and scim2-tester. Needs Python 3.9+ with venv. About 100 MB to download.
set -euo pipefail
cd "$(dirname "$0")"
programs=$PWD/.programs
[ -x "$programs/python/bin/pip" ] || python3 -m venv "$programs/python"
"$programs/python/bin/pip" install -q --upgrade --disable-pip-version-check -r requirements.txt
touch "$programs/version"
