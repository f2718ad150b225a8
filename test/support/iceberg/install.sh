#!/usr/bin/env bash
# Installs what the tests of Iceberg need into .programs: a REST catalog (the one of Apache Iceberg's own
# tests) and two readers (Spark and pyiceberg). They need Java 17, Maven and Python 3.9+ with venv, and the server
# of S3 that test/support/s3/install.sh installs. About 550 MB to download.
set -euo pipefail
cd "$(dirname "$0")"
programs=$PWD/.programs
# A complete installation has this file.
version=$(cat pom.xml requirements.txt install.sh | sha256sum | cut -d' ' -f1)
if [ "$(cat "$programs/version" 2>/dev/null)" = "$version" ]; then exit; fi
rm -rf "$programs"
mkdir -p "$programs/jars"

mvn -q -B -f pom.xml org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
  -DexcludeTransitive=true -DoutputDirectory="$programs/jars"

# Only Spark needs it. It has the classes of the catalog in it.
mkdir "$programs/spark"
mv "$programs"/jars/iceberg-spark-runtime-*.jar "$programs/spark/"

python3 -m venv "$programs/python"
"$programs/python/bin/pip" install -q --disable-pip-version-check -r requirements.txt
# The catalog needs classes of Hadoop, which Spark has.
spark=$("$programs/python/bin/python" -c 'import pyspark, os; print(os.path.dirname(pyspark.__file__))')
for jar in hadoop-client-api hadoop-client-runtime jcl-over-slf4j; do
  ln -s "$spark/jars/$jar"-*.jar "$programs/jars/"
done
echo "$version" >"$programs/version"
