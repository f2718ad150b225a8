#!/usr/bin/env bash
# Installs the emulator of Snowflake (fakesnow) for the tests into packages. Needs Python 3.9+ with pip.
# About 340 MB.
set -euo pipefail
cd "$(dirname "$0")"
rm -rf packages
python3 -m pip install --quiet --disable-pip-version-check --target packages --requirement requirements.txt
