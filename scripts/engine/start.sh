#!/usr/bin/env bash
# Makes a container engine answer on a Debian machine where we are root, whatever an earlier run left behind: nothing
# installed, installed but not running, or killed with its pid files still about. Prints one line saying what it did.
# The daemon stays; its log is $ENGINE_LOG.
set -euo pipefail

ENGINE_LOG=${ENGINE_LOG:-/var/log/dockerd.log}

answering_version() { timeout 10 docker version --format '{{.Server.Version}}' 2>/dev/null; }

# dockerd refuses to start while the process that a pid file names exists, and believes containerd's file blindly. After
# a kill -9 the pid may belong to anybody, or to a zombie, which still has a name but no executable.
drop_stale_pid_file() {
  local file=$1 program=$2
  [ -f "$file" ] || return 0
  case $(readlink "/proc/$(cat "$file")/exe") in
    */"$program" | */"$program (deleted)") ;;
    *) rm -f "$file" ;;
  esac
}

if version=$(answering_version); then
  echo "engine: $version answers"
  exit 0
fi
if [ "$(id -u)" != 0 ]; then
  echo 'engine: none answers, and only root can start one (try: sudo systemctl start docker)' >&2
  exit 1
fi
if ! command -v dockerd >/dev/null; then
  command -v apt-get >/dev/null || { echo 'engine: dockerd is missing and there is no apt-get to install it' >&2; exit 1; }
  echo 'engine: installing docker.io, because no engine answers and none is installed'
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -yqq --no-install-recommends docker.io iptables >/dev/null
fi

began=$SECONDS
for attempt in 1 2 3; do
  drop_stale_pid_file /var/run/docker.pid dockerd
  drop_stale_pid_file /var/run/docker/containerd/containerd.pid containerd
  setsid nohup dockerd >"$ENGINE_LOG" 2>&1 </dev/null &
  daemon=$!
  for _ in $(seq 300); do
    if version=$(answering_version); then
      echo "engine: $version started in $((SECONDS - began)) s, log in $ENGINE_LOG"
      exit 0
    fi
    kill -0 "$daemon" 2>/dev/null || break
    sleep 0.2
  done
  echo "engine: attempt $attempt to start dockerd failed:" >&2
  tail -n 5 "$ENGINE_LOG" >&2
done
exit 1
