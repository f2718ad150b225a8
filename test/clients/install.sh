#!/usr/bin/env bash
# Installs the linters, the generators of clients and Schemathesis for the tests: npm packages into node_modules, and
# Python packages into .programs. Needs npm, and Python 3.9+ with venv. One of the generators runs on Java 11+.
# About 130 MB to download.
set -euo pipefail
cd "$(dirname "$0")"
programs=$PWD/.programs
# A complete installation has this file.
version=$(cat package-lock.json requirements.txt install.sh | sha256sum | cut -d' ' -f1)
if [ "$(cat "$programs/version" 2>/dev/null)" = "$version" ]; then exit; fi
rm -rf "$programs"
npm ci --silent --ignore-scripts
python3 -m venv "$programs/python"
"$programs/python/bin/pip" install -q --disable-pip-version-check -r requirements.txt
echo "$version" >"$programs/version"
