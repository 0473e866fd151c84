# shellcheck shell=bash
# Root file systems from programs of this machine; sourced by build.sh.

# copy_program ROOT FILE...: copies programs to the same place below ROOT, with every shared library that they load.
copy_program() {
  local root=$1 program part
  shift
  for program in "$@"; do
    while read -r part; do
      [ -e "$root$part" ] || install -D -m 755 "$(readlink -f "$part")" "$root$part"
    done < <(
      echo "$program"
      ldd "$program" 2>/dev/null | grep -oE '/[^ ]+' || true
    )
  done
}

# new_root ROOT USER: busybox, bash, name resolution, certificates, and a user of id 1000.
new_root() {
  local root=$1 user=$2 directory applet
  mkdir -p "$root"/{usr/{bin,sbin,lib,lib64,local/bin},etc,proc,sys,dev,run,opt,root,var/{lib,log}} "$root/home/$user"
  for directory in bin sbin lib lib64; do ln -s "usr/$directory" "$root/$directory"; done
  install -d -m 1777 "$root/tmp" "$root/var/tmp"
  install -m 755 "$(command -v busybox)" "$root/usr/bin/busybox"
  while read -r applet; do
    [ "$applet" = busybox ] || ln -s busybox "$root/usr/bin/$applet"
  done < <("$root/usr/bin/busybox" --list)
  copy_program "$root" /bin/bash
  printf 'root:x:0:0:root:/root:/bin/bash\n%s:x:1000:1000::/home/%s:/bin/bash\n' "$user" "$user" >"$root/etc/passwd"
  printf 'root:x:0:\n%s:x:1000:\n' "$user" >"$root/etc/group"
  printf 'hosts: files dns\npasswd: files\ngroup: files\n' >"$root/etc/nsswitch.conf"
  if [ -f /etc/ssl/certs/ca-certificates.crt ]; then
    install -D -m 644 /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
  fi
  chown 1000:1000 "$root/home/$user"
}

# import_root ROOT IMAGE CHANGE...: makes an image of it, with Dockerfile instructions.
import_root() {
  local root=$1 image=$2 change changes=()
  shift 2
  for change in "$@"; do changes+=(--change "$change"); done
  tar -C "$root" --numeric-owner -cf - . | docker import "${changes[@]}" - "$image" >/dev/null
}
