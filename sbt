#!/usr/bin/env bash
# Runs sbt: the machine's own if there is one, else the launcher, got once by its Maven coordinates.
set -euo pipefail
cd "$(dirname "$0")"

fail() {
  echo "sbt: $1" >&2
  exit 1
}

java_home_or_path() {
  if [ -n "${JAVA_HOME:-}" ]; then echo "$JAVA_HOME/bin/java"; else command -v java || true; fi
}

java=$(java_home_or_path)
[ -x "$java" ] || fail "no Java found; install a JDK 17 or newer"
release=$("$java" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.specification.version = //p')
[ "${release%%.*}" -ge 17 ] || fail "Java $release is too old; a JDK 17 or newer is needed"

if [ -z "${DUCKLAKE_SBT_LAUNCHER_ONLY:-}" ] && command -v sbt >/dev/null 2>&1; then
  exec sbt "$@"
fi

version=$(sed -n 's/^sbt.version *= *//p' project/build.properties)
launcher="target/sbt-launch-$version.jar"
if [ ! -f "$launcher" ]; then
  command -v mvn >/dev/null 2>&1 || fail "neither sbt nor Maven is installed; install one of them"
  echo "getting the sbt launcher $version with Maven" >&2
  mvn -q -B -Dstyle.color=never dependency:copy \
    -Dartifact="org.scala-sbt:sbt-launch:$version" -DoutputDirectory=target 1>&2
fi
# shellcheck disable=SC2086,SC2046
exec "$java" ${SBT_OPTS:-$(cat .jvmopts)} -Dsbt.banner=false -Dsbt.supershell=false \
  -Dsbt.script="$PWD/sbt" -jar "$launcher" "$@"
