#!/usr/bin/env bash
# Installs Keycloak, an identity provider, for the tests into .programs, built for a database in memory, so that it
# starts in seconds. Needs Java 17 and Maven. About 160 MB to download.
set -euo pipefail
cd "$(dirname "$0")"
programs=$PWD/.programs
keycloak=26.4.7
sha256=aca60ab72ae4d67adc6b8fe7fca5e08d16a6bb5e4a4f2ebb54050e3f5503fd2b
# A complete installation has this file.
version=$(sha256sum <install.sh | cut -d' ' -f1)
if [ "$(cat "$programs/version" 2>/dev/null)" = "$version" ]; then exit; fi
rm -rf "$programs"
mkdir -p "$programs/keycloak"

mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
  -Dartifact="org.keycloak:keycloak-quarkus-dist:$keycloak:tar.gz" -DoutputDirectory="$programs"
archive=$programs/keycloak-quarkus-dist-$keycloak.tar.gz
echo "$sha256  $archive" | sha256sum --check --quiet
tar --extract --gzip --file "$archive" --directory "$programs/keycloak" --strip-components 1
rm "$archive"

# What the tests do not use, and what needs it, takes time at each start.
unused=account,account-api,admin,admin-fine-grained-authz,authorization,ciba,device-flow,impersonation,kerberos
unused+=,opentelemetry,organization,par,passkeys,persistent-user-sessions,recovery-codes,user-event-metrics,web-authn
if ! "$programs/keycloak/bin/kc.sh" build --db=dev-mem --features-disabled="$unused" >"$programs/build.log"; then
  cat "$programs/build.log" >&2
  exit 1
fi
echo "$version" >"$programs/version"
