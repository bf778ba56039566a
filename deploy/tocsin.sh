#!/bin/sh
# Runs a job and tells Tocsin, or another server with the same ping addresses, that it started, how it ended and what it
# wrote last. For machines without Node: it needs a POSIX shell, and curl or wget.
#
#   tocsin.sh --slug backup -- /usr/local/bin/backup --full
#
# Options, each with its variable:
#   --uuid UUID        TOCSIN_UUID      the check, by its UUID; or
#   --slug SLUG        TOCSIN_SLUG      by its slug, with
#   --ping-key KEY     TOCSIN_PING_KEY  the ping key of its project
#   --endpoint URL     TOCSIN_ENDPOINT  what a UUID or a ping key is appended to: https://tocsin.example.org/ping
#   --ping-url URL     TOCSIN_PING_URL  instead of all of these: the whole address of the check
#   --create           TOCSIN_CREATE    create the check if it does not exist (slugs only)
#   --no-start         TOCSIN_NO_START  send no ping when the job starts
#   --tail BYTES       TOCSIN_TAIL      how much of the output is attached (10000); 0 attaches none
# The job runs whatever is wrong with the options or the network. A ping that three attempts could not deliver is lost:
# `tocsin run` keeps it, and sends it later.

say() { echo "tocsin.sh: $*" >&2; }

uuid=${TOCSIN_UUID:-${CHECK_UUID:-}}
slug=${TOCSIN_SLUG:-${CHECK_SLUG:-}}
key=${TOCSIN_PING_KEY:-${PING_KEY:-${HC_PING_KEY:-}}}
endpoint=${TOCSIN_ENDPOINT:-${HC_API_URL:-}}
url=${TOCSIN_PING_URL:-}
create=${TOCSIN_CREATE:-}
no_start=${TOCSIN_NO_START:-}
tail=${TOCSIN_TAIL:-10000}

while [ $# -gt 0 ]; do
  case $1 in
    --) shift; break ;;
    --create) create=1; shift; continue ;;
    --no-start) no_start=1; shift; continue ;;
    --*=*) name=${1%%=*}; value=${1#*=}; shift ;;
    --*) name=$1; value=${2:-}; shift; if [ $# -gt 0 ]; then shift; fi ;;
    *) break ;;
  esac
  case $name in
    --uuid) uuid=$value ;;
    --slug) slug=$value ;;
    --ping-key) key=$value ;;
    --endpoint) endpoint=$value ;;
    --ping-url) url=$value ;;
    --tail) tail=$value ;;
    *) say "there is no option $name" ;;
  esac
done
if [ $# -eq 0 ]; then
  say 'there is no command: tocsin.sh --slug SLUG -- COMMAND'
  exit 2
fi
case $tail in
  '' | *[!0-9]*) say '--tail is a number of bytes'; tail=10000 ;;
esac

# The address of the check.
endpoint=${endpoint%/}
if [ -n "$url" ]; then
  :
elif [ -n "$uuid" ] && [ -n "$endpoint" ]; then
  url=$endpoint/$uuid
elif [ -n "$slug" ] && [ -n "$key" ] && [ -n "$endpoint" ]; then
  url=$endpoint/$key/$slug
else
  say 'nothing is told: name an endpoint, and a UUID or a slug with its ping key'
fi
case $url in
  *[[:space:]\"\\]*) say 'nothing is told: the address of the check is faulty'; url= ;;
esac
if command -v curl >/dev/null 2>&1; then
  client=curl
elif command -v wget >/dev/null 2>&1; then
  client=wget
elif [ -n "$url" ]; then
  say 'nothing is told: there is neither curl nor wget'
  url=
fi

# Joins the pings of this run.
run_id() {
  if [ -r /proc/sys/kernel/random/uuid ]; then
    cat /proc/sys/kernel/random/uuid
  else
    od -An -N16 -tx1 /dev/urandom | tr -d ' \n' |
      sed 's/^\(.\{8\}\)\(.\{4\}\).\(.\{3\}\).\(.\{3\}\)\(.\{12\}\)$/\1-\2-4\3-8\4-\5/'
  fi
}
query=
if [ -n "$url" ]; then
  TOCSIN_RUN_ID=$(run_id 2>/dev/null)
  [ -z "$TOCSIN_RUN_ID" ] || query=rid=$TOCSIN_RUN_ID
  [ -z "$create" ] || query=$query${query:+&}create=1
  [ -z "$slug" ] || export TOCSIN_SLUG="$slug"
  export TOCSIN_RUN_ID
fi

# One attempt: the end of the path, the seconds it may take, and the file with the body.
# The address is a secret, and other users see the arguments of processes: curl and GNU's wget read it from their input.
attempt() {
  address=$url$1${query:+?$query}
  if [ "$client" = curl ]; then
    printf 'url = "%s"\n' "$address" |
      curl -fsS -m "$2" -o /dev/null -K - -H 'Content-Type: text/plain' --data-binary "@$3" 2>/dev/null
  elif wget --help 2>&1 | grep -q -e --input-file; then
    printf '%s\n' "$address" | wget -q -T "$2" -t 1 -O /dev/null --post-file="$3" -i - 2>/dev/null
  else
    wget -q -T "$2" -O /dev/null --post-file="$3" "$address" 2>/dev/null
  fi
}

# The result of a run is tried three times.
tell() {
  for pause in 1 2 0; do
    attempt "$1" 10 "$2" && return
    [ "$pause" -eq 0 ] || sleep "$pause"
  done
  say 'the server did not take the result'
}

# A folder for the pipes and the end of the output. Without one the job writes where we write.
folder=
if [ -n "$url" ]; then
  folder=$(umask 077 && mktemp -d "${TMPDIR:-/tmp}/tocsin.XXXXXXXX" 2>/dev/null)
  if [ -n "$folder" ]; then trap 'rm -rf "$folder"' EXIT; fi
fi
empty=/dev/null kept=
if [ -n "$folder" ] && [ "$tail" -gt 0 ] && mkfifo "$folder/out" "$folder/err" "$folder/all" 2>/dev/null; then
  kept=$folder/kept
fi

begun=$(date +%s)
# Standard input of what runs in the background would be empty.
exec 3<&0
if [ -n "$kept" ]; then
  tail -c "$tail" <"$folder/all" >"$kept" 3<&- &
  keeper=$!
  # The copiers have this open as well: what keeps the end must not end before the second of them has begun.
  exec 4>"$folder/all"
  tee "$folder/all" <"$folder/out" 3<&- &
  copier=$!
  tee "$folder/all" <"$folder/err" >&2 3<&- &
  copiers="$copier $!"
  exec 4>&-
fi
# Shells tell of signals by which their children ended. Nobody asked, and the job may end at once.
exec 5>&2 2>/dev/null
# Shells let what runs in the background ignore the keys that interrupt.
if [ -n "$kept" ]; then
  (trap - INT QUIT; exec 0<&3 3<&- 5>&- "$@") >"$folder/out" 2>"$folder/err" &
else
  (trap - INT QUIT; exec 0<&3 3<&- 5>&- "$@") 2>&5 &
fi
job=$!
for name in HUP TERM USR1 USR2; do
  # shellcheck disable=SC2064
  trap "kill -$name $job 2>/dev/null" "$name"
done
# The terminal has sent these to the job as well.
if [ -t 0 ] || [ -t 1 ] || [ -t 5 ]; then
  trap : INT QUIT
else
  trap 'kill -INT $job 2>/dev/null' INT
  trap 'kill -QUIT $job 2>/dev/null' QUIT
fi
starter=
if [ -n "$url" ] && [ -z "$no_start" ]; then
  attempt /start 5 "$empty" &
  starter=$!
fi

# A signal interrupts the wait. The job has ended once it is no longer there.
while :; do
  wait "$job"; status=$?
  kill -0 "$job" 2>/dev/null || break
done
exec 2>&5 5>&-
took=$(($(date +%s) - begun))

if [ -n "$url" ]; then
  # The end must not overtake the start.
  [ -z "$starter" ] || wait "$starter"
  body=$empty
  if [ -n "$kept" ]; then
    # A process that the job has left behind may hold the output.
    for _ in 1 2 3 4 5 6 7 8 9 10; do
      kill -0 "$keeper" 2>/dev/null || break
      sleep 0.1 2>/dev/null || sleep 1
    done
    if kill -0 "$keeper" 2>/dev/null; then kept=$folder/note; else body=$kept; fi
    if [ "$status" -ne 0 ] || [ "$body" = "$empty" ]; then
      echo "[tocsin] exit status $status after $took s" >>"$kept" 2>/dev/null && body=$kept
    fi
  fi
  if [ "$status" -eq 0 ]; then tell '' "$body"; else tell "/$status" "$body"; fi
  # shellcheck disable=SC2086
  [ -z "${copiers:-}" ] || wait $copiers
fi
exit "$status"
