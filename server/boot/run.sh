#!/bin/sh
# Runs one of our .ts files on Node 24 from the repository's root: installs the packages first when they are missing or older than
# package-lock.json. Everything ends in exec, so that a signal to npm, or to this script, reaches Node itself.
set -eu

if [ $# -eq 0 ]; then
  echo 'usage: sh server/boot/run.sh <file.ts> [arguments]' >&2
  exit 64
fi
CDPATH='' cd -- "$(dirname -- "$0")/../.."
root=$PWD

say() { echo "fieldloop: $*" >&2; }

# The newest Node 24 or later: ours from npm, else one on PATH where ours has no build for this machine.
find_node() {
  IFS=:
  for directory in "$root/node_modules/.bin" $PATH; do
    major=$("$directory/node" -p 'process.versions.node.split(".")[0]' 2>/dev/null) || continue
    if [ "$major" -ge 24 ] 2>/dev/null; then
      echo "$directory/node"
      break
    fi
  done
}

# Times alone mislead: a branch change or npm itself may touch the lock file without a change of packages. Any Node can compare.
same_packages() {
  node -e '
    const read = (file) => JSON.parse(require("fs").readFileSync(file, "utf8")).packages
    const wanted = read("package-lock.json"), found = read("node_modules/.package-lock.json")
    const fits = ([path, entry]) => path === "" || entry.link || (found[path] ? found[path].version === entry.version : entry.optional || entry.devOptional)
    process.exit(Object.entries(wanted).every(fits) ? 0 : 1)' 2>/dev/null
}

is_installed() {
  [ -f node_modules/.package-lock.json ] || return 1
  [ -n "$(find package-lock.json -newer node_modules/.package-lock.json)" ] || return 0
  same_packages && touch node_modules/.package-lock.json
}

# Runs npm with the arguments; its words are shown only when it fails. A signal to us reaches npm, which would else outlive us.
run_npm() {
  npm "$@" --no-fund --no-audit --loglevel=error >"$words" 2>&1 &
  child=$!
  trap 'kill -TERM "$child" 2>/dev/null' TERM INT HUP
  status=0
  wait "$child" || status=$?
  trap - TERM INT HUP
  # A signal ends the wait before npm ends.
  wait "$child" 2>/dev/null || true
  if [ "$status" -gt 128 ]; then
    rm -f "$words"
    exit "$status"
  fi
  return "$status"
}

install_packages() {
  words=$(mktemp "${TMPDIR:-/tmp}/fieldloop-install.XXXXXX")
  say 'installing the packages: about a minute and 1.5 GB, done once per clone (npm ci)'
  run_npm ci || true
  if [ "$status" -ne 0 ]; then
    cat "$words" >&2
    rm -f "$words"
    say "npm failed with code $status. Mend what it names above (often the network, a proxy or a full disk), and start again."
    exit "$status"
  fi
  rm -f "$words"
}

# Two starts at once must not install at once. The kernel frees flock's lock with its holder; where there is no flock, the lock is a
# directory that names its holder.
install_alone() {
  if command -v flock >/dev/null 2>&1; then
    exec 9<package-lock.json
    flock -n 9 || { say 'another start is installing the packages; waiting for it' && flock 9; }
    is_installed || install_packages 9<&-
    exec 9<&-
    return
  fi
  lock=${TMPDIR:-/tmp}/fieldloop-install-$(printf '%s' "$root" | cksum | tr ' ' '-')
  until mkdir "$lock" 2>/dev/null; do
    holder=$(cat "$lock/pid" 2>/dev/null) || holder=
    if [ -n "$holder" ] && ! kill -0 "$holder" 2>/dev/null; then
      rm -rf "$lock"
    else
      say "another start is installing the packages ($lock); waiting for it"
      sleep 2
    fi
  done
  trap 'rm -rf "$lock"' EXIT
  echo $$ >"$lock/pid"
  is_installed || install_packages
  trap - EXIT
  rm -rf "$lock"
}

is_installed || install_alone

node=$(find_node)
if [ -z "$node" ]; then
  say 'needs Node 24 or later: the npm package "node" has no build that runs on this machine, and PATH has none. Install Node 24 and start again.'
  exit 69
fi
PATH=$root/node_modules/.bin:$PATH
export PATH
exec "$node" "$@"
