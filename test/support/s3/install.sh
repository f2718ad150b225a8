#!/usr/bin/env bash
# Installs a server of S3 (moto) for the tests into .programs. Needs Python 3.9+ with venv. About 40 MB to
# download.
set -euo pipefail
cd "$(dirname "$0")"
programs=$PWD/.programs
# A complete installation has this file.
version=$(cat requirements.txt install.sh | sha256sum | cut -d' ' -f1)
if [ "$(cat "$programs/version" 2>/dev/null)" = "$version" ]; then exit; fi
rm -rf "$programs"
python3 -m venv "$programs/python"
"$programs/python/bin/pip" install -q --disable-pip-version-check -r requirements.txt
echo "$version" >"$programs/version"
