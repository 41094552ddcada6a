import { isAnyBox, killRounds } from '../leftovers.ts'

/**
 * A small shell program between us and an executor without a pid namespace: waits for the executor, then ends all
 * that carries its box's key, even what has left its process group. Sent TERM when we die (setpriv --pdeathsig), it
 * gives the executor, whose standard input has closed by then, two seconds to end its commands. Arguments: key,
 * pattern of that key, `own` when the user is the box's alone, then the executor's command line.
 */
export const guardScript = `
key=$1 pattern=$2 user=$3
shift 3
exec 3<&0
COUNTERSIGN_BOX=$key "$@" <&3 3<&- &
child=$!
exec </dev/null >/dev/null 2>&1 3<&-
orphaned=
trap 'orphaned=1' TERM
trap '' HUP INT
wait $child
code=$?
if [ -n "$orphaned" ]; then
  tries=0
  while kill -0 $child && [ $tries -lt 20 ]; do sleep 0.1; tries=$((tries + 1)); done
  kill -KILL $child
  wait $child
fi
${killRounds}
if [ "$user" = own ] && ! ${isAnyBox}; then kill -KILL -1; fi
exit $code
`
