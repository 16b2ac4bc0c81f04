#!/bin/bash
# lib.sh: what the scripts of this project share: progress with the time passed, failures that say what
# to do, Debian packages. Source it; it starts nothing.

STARTED_AT=${EPOCHREALTIME/[.,]/}

# "[  12.3 s] text" on standard error.
say() {
  local us=$((${EPOCHREALTIME/[.,]/} - STARTED_AT))
  printf '[%6d.%d s] %s\n' $((us / 1000000)) $((us / 100000 % 10)) "$*" >&2
}

# fail WHAT WHAT_TO_DO...: ends the script.
fail() {
  printf '\nFAILED: %s\n' "$1" >&2
  shift
  printf '  %s\n' "$@" >&2
  exit 1
}

# How to become root: empty for root itself; fails where neither root nor sudo can be had.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif sudo -n true 2>/dev/null || { [ -t 0 ] && command -v sudo >/dev/null; }; then sudo -- "$@"
  else return 126; fi
}
can_be_root() { as_root true; }

# The packages of these list files that are not installed, one a line.
missing_packages() {
  local wanted installed
  wanted=$(sed 's/#.*//' "$@" | awk 'NF {print $1}' | sort -u)
  # shellcheck disable=SC2086
  installed=$(dpkg-query -W -f '${Package} ${Status}\n' $wanted 2>/dev/null |
    awk '/install ok installed$/ {print $1}' | sort -u)
  comm -23 <(echo "$wanted") <(echo "$installed")
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -q "$@"
}

# install_packages LOG PACKAGE...: asks for newer lists only when the packages cannot be had without.
install_packages() {
  local log=$1
  shift
  apt_get install -y --no-install-recommends "$@" >>"$log" 2>&1 && return
  apt_get update >>"$log" 2>&1 && apt_get install -y --no-install-recommends "$@" >>"$log" 2>&1
}

# build PRESET LOG [TARGET...]
build() {
  local preset=$1 log=$2
  shift 2
  cmake --preset "$preset" >>"$log" 2>&1 || return
  cmake --build --preset "$preset" ${1:+--target "$@"} >>"$log" 2>&1
}
