#!/usr/bin/env bash
# Builds stand-ins for the two images that the tests and the compose file need, on a machine that reaches no container
# registry, from what it does have: a JDK, Maven, Node and busybox.
#
#   kafka   localhost/kafka:4.3.1   for apache/kafka:4.3.1: same entry point, KAFKA_* variables, tools, user, volumes
#   node    localhost/node:20       for node:20-bookworm-slim, without npm
#
# usage: build.sh [kafka|node]...   (default: both)
# An image is kept while what it was made from is the same. The names start with localhost/, which no registry serves:
# nobody can take a stand-in for the official image, or the other way round.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$here/../.." && pwd)
# shellcheck source=scripts/images/rootfs.sh
. "$here/rootfs.sh"

kafka_image=localhost/kafka:4.3.1
node_image=localhost/node:20
label=kafkajs-sticky-assignor.content
java_modules=java.base,java.desktop,java.logging,java.management,java.management.rmi,java.naming,java.rmi,java.security.jgss,java.security.sasl,java.sql,java.xml,jdk.crypto.ec,jdk.jcmd,jdk.management,jdk.management.agent,jdk.naming.dns,jdk.net,jdk.security.auth,jdk.unsupported,jdk.zipfs

say() { echo "images: $*"; }
fail() { echo "images: $*" >&2; exit 1; }
need() { command -v "$1" >/dev/null || fail "$1 is missing (Debian: apt-get install $2)"; }
is_made_from() { [ "$(docker image inspect -f "{{index .Config.Labels \"$label\"}}" "$1" 2>/dev/null)" = "$2" ]; }
content_of() { { cat "$@" "$here/build.sh" "$here/rootfs.sh"; busybox | head -1; } 2>&1; }

work=
container=
clean_up() {
  [ -z "$container" ] || docker rm -fv "$container" >/dev/null 2>&1 || true
  [ -z "$work" ] || rm -rf "$work"
}
trap clean_up EXIT

build_kafka() {
  need javac openjdk-17-jdk-headless
  need mvn maven
  local key root tool class began=$SECONDS
  key=$({ content_of "$here"/kafka/*/* "$project"/scripts/kafka/{pom.xml,log4j2.yaml}; javac -version; } 2>&1 | sha256sum | cut -c1-16)
  if is_made_from "$kafka_image" "$key"; then say "$kafka_image is there"; return; fi
  say "building $kafka_image"
  work=$(mktemp -d)
  root=$work/root
  new_root "$root" appuser
  link_java "$root"
  mkdir -p "$root"/opt/kafka/{bin,libs,logs,config} "$root"/etc/kafka/{docker,secrets} "$root"/mnt/shared/config "$root"/var/lib/kafka/data
  cp "$(fetch_jars)"/*.jar "$root/opt/kafka/libs/"
  install -m 755 "$here"/kafka/bin/*.sh "$root/opt/kafka/bin/"
  while IFS=$'\t' read -r tool class; do
    printf '#!/usr/bin/env bash\nexec /opt/kafka/bin/kafka-run-class.sh %s "$@"\n' "$class" >"$root/opt/kafka/bin/$tool"
    chmod 755 "$root/opt/kafka/bin/$tool"
  done <"$here/kafka/config/tools.tsv"
  install -m 755 "$here/kafka/bin/run" "$root/etc/kafka/docker/run"
  cp "$here"/kafka/config/{server.properties,tools-log4j2.yaml} "$project/scripts/kafka/log4j2.yaml" "$root/etc/kafka/docker/"
  cp "$root"/etc/kafka/docker/*.yaml "$root/opt/kafka/config/"
  chown -R 1000:1000 "$root"/{opt/kafka,etc/kafka,mnt/shared,var/lib/kafka}
  import_root "$root" "$kafka_image" \
    'ENV PATH=/opt/kafka/bin:/opt/java/bin:/usr/bin:/usr/sbin' 'ENV JAVA_HOME=/opt/java' 'ENV LANG=C.UTF-8' \
    'USER appuser' 'EXPOSE 9092' 'VOLUME /etc/kafka/secrets' 'VOLUME /mnt/shared/config' 'VOLUME /var/lib/kafka/data' \
    'CMD ["/etc/kafka/docker/run"]'
  add_class_archives "$key"
  rm -rf "$work"
  say "$kafka_image built in $((SECONDS - began)) s"
}

# link_java ROOT: a Java runtime with the modules of a broker, in /opt/java.
link_java() {
  local root=$1 jdk
  jdk=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
  "$jdk/bin/jlink" --add-modules "$java_modules" --no-header-files --no-man-pages --strip-java-debug-attributes \
    --compress=0 --output "$root/opt/java"
  # jlink leaves the JDK's own class archive out.
  "$root/opt/java/bin/java" -Xshare:dump >/dev/null
  copy_program "$root" "$root"/opt/java/lib/server/libjvm.so "$root"/opt/java/bin/java "$root"/opt/java/lib/lib{zip,net,nio,java,management}.so
  # The runtime's own files were copied a second time, below the path of the build.
  rm -rf "${root:?}${work:?}"
  ln -s /opt/java/bin/java "$root/usr/bin/java"
}

# The directory that integration/support/kafka/distribution.ts fills too.
fetch_jars() {
  local jars
  jars=$project/.cache/kafka/jars-$(sha256sum <"$project/scripts/kafka/pom.xml" | cut -c1-12)
  if [ ! -d "$jars" ]; then
    mvn -B -q -f "$project/scripts/kafka/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
      -DincludeScope=runtime -DoutputDirectory="$jars.$$" >&2
    mv -T "$jars.$$" "$jars" 2>/dev/null || rm -rf "$jars.$$"
  fi
  echo "$jars"
}

# add_class_archives KEY: starts one broker off any network and keeps the classes that it and its setup have loaded.
# That halves the CPU time of every later start. Only the finished image gets the label.
add_class_archives() {
  # shellcheck disable=SC2016 # expanded in the container
  container=$(docker run -d --network none --entrypoint bash "$kafka_image" -c '
    set -e
    export CLUSTER_ID=5L6g3nShT-eMCtK--X86sw
    cd /opt/kafka
    DUMP_CLASSES=/tmp/setup.jsa bin/kafka-run-class.sh kafka.docker.KafkaDockerWrapper setup \
      --default-configs-dir /etc/kafka/docker --mounted-configs-dir /mnt/shared/config --final-configs-dir config
    DUMP_CLASSES=/tmp/broker.jsa bin/kafka-server-start.sh config/server.properties >/tmp/broker.log 2>&1 &
    for _ in $(seq 600); do grep -q "Kafka Server started" /tmp/broker.log && break; sleep 0.1; done
    kill $!; wait $! || true
    ls /tmp/setup.jsa /tmp/broker.jsa || { cat /tmp/broker.log; exit 1; }')
  [ "$(docker wait "$container")" = 0 ] || { docker logs --tail 40 "$container" >&2; fail 'a broker of the image does not start'; }
  mkdir "$work/archives"
  docker cp "$container:/tmp/setup.jsa" "$work/archives/"
  docker cp "$container:/tmp/broker.jsa" "$work/archives/"
  docker rm -fv "$container" >/dev/null
  container=
  printf 'FROM %s\nCOPY --chown=1000:1000 *.jsa /opt/kafka/\nLABEL %s=%s\n' "$kafka_image" "$label" "$1" >"$work/archives/Dockerfile"
  DOCKER_BUILDKIT=0 docker build -q -t "$kafka_image" "$work/archives" >/dev/null 2>&1 || fail "docker build of $kafka_image failed"
}

build_node() {
  local key root node began=$SECONDS
  node=$(readlink -f "$(type -P node)")
  key=$({ content_of; "$node" --version; } | sha256sum | cut -c1-16)
  if is_made_from "$node_image" "$key"; then say "$node_image is there"; return; fi
  say "building $node_image"
  work=$(mktemp -d)
  root=$work/root
  new_root "$root" node
  copy_program "$root" "$node"
  [ -e "$root/usr/local/bin/node" ] || ln -s "$node" "$root/usr/local/bin/node"
  import_root "$root" "$node_image" 'ENV PATH=/usr/local/bin:/usr/bin:/usr/sbin' 'ENV LANG=C.UTF-8' \
    "ENV NODE_VERSION=$("$node" -p process.versions.node)" "LABEL $label=$key" 'CMD ["node"]'
  rm -rf "$work"
  say "$node_image built in $((SECONDS - began)) s"
}

need docker docker.io
docker info >/dev/null 2>&1 || fail 'no container engine answers (as root on Debian: scripts/engine/start.sh)'
if ! command -v busybox >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  say 'installing busybox-static, the shell and tools of the images'
  { apt-get install -yqq busybox-static || { apt-get update -qq && apt-get install -yqq busybox-static; }; } >/dev/null 2>&1
fi
need busybox busybox-static
[ $# -gt 0 ] || set -- kafka node
for what in "$@"; do
  case $what in
    kafka | node) "build_$what" ;;
    *) fail "there is no image $what" ;;
  esac
done
