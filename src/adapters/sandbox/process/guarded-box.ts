import type { Box } from '../../../ports/sandbox.ts'
import { withinMs } from '../../../util/abort.ts'
import {
  boxEnvironment,
  boxMarker,
  clearsSetuid,
  executorArguments,
  systemPath,
} from '../box-environment.ts'
import { findProgram } from '../find-program.ts'
import { endLeftovers, endUser, isAnyBox, killRounds, toRegex } from '../leftovers.ts'
import { type StartedBox, spawnBox } from '../spawn-box.ts'

/**
 * Shell program between us and an executor without a pid namespace: waits for the executor, then kills every process with its
 * box's key, even outside its process group. It receives TERM when we die (setpriv --pdeathsig), and then gives the executor,
 * whose standard input is closed, two seconds to end its commands. Arguments: key, pattern of the key, `own` if the user
 * belongs to the box alone, then the executor's command line.
 */
const guardScript = `
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

/** An executor to start as a child process. Paths are those its user sees. */
export interface GuardedCommand {
  readonly key: string
  readonly workspace: string
  readonly node: string
  readonly executorDir: string
  readonly rg: string | undefined
  readonly path: string | undefined
  /** User of this workspace alone; undefined for our own. */
  readonly uid: number | undefined
  readonly maxProcesses: number
}

/** Commands that the executor refuses by name, as no namespace prevents them (BASH-06, BASH-10). */
const refusals = { COUNTERSIGN_REFUSE: 'network,outside' }

/** Starts an executor under a guard, which kills all its processes even if we are killed. */
export async function startGuarded(command: GuardedCommand): Promise<Box> {
  // The guard must not match the marker itself, so it sets it for the executor only.
  const { [boxMarker]: key = '', ...env } = boxEnvironment({
    key: command.key,
    home: command.workspace,
    path: command.path ?? systemPath,
    rg: command.rg,
  })
  const [file = '', ...args] = guardedLine(command, key)
  const started = await spawnBox({
    file,
    args,
    env: {
      ...env,
      ...refusals,
      ...clearsSetuid,
      ...(command.uid === undefined ? {} : { COUNTERSIGN_ALONE: 'user' }),
    },
    cwd: command.workspace,
    ...(command.uid === undefined ? {} : { uid: command.uid }),
  })
  const box = { ...started, exited: started.exited.then((end) => tidied(end, key, command.uid)) }
  return { ...box, kill: () => killGuarded(box, key, command.uid) }
}

type Exit = Awaited<Box['exited']>

/** Takes over the guard's work if a command killed it. */
async function tidied(end: Exit, key: string, uid: number | undefined): Promise<Exit> {
  if (end.signal === null) return end
  await endLeftovers({ key }, uid)
  if (uid !== undefined) await endUser(uid)
  return end
}

function guardedLine(command: GuardedCommand, key: string): readonly string[] {
  const marker = `${boxMarker}=${key}`
  const executor = [command.node, ...executorArguments(command.executorDir), marker]
  // The guard needs /proc.
  if (process.platform !== 'linux') return ['/usr/bin/env', marker, ...executor]
  const user = command.uid === undefined ? 'shared' : 'own'
  const guard = ['/bin/sh', '-c', guardScript, 'countersign-guard', key, toRegex({ key }), user]
  return [...deathSignal(), ...processLimit(command), ...guard, ...executor]
}

/** Notifies the guard when we die; without util-linux only the closed standard input does. */
function deathSignal(): readonly string[] {
  const setpriv = findProgram('setpriv')
  return setpriv ? [setpriv, '--no-new-privs', '--pdeathsig', 'TERM', '--'] : []
}

/** The limit counts all processes of a user, so it is set only for a user of the box alone. */
function processLimit(command: GuardedCommand): readonly string[] {
  const prlimit = command.uid === undefined ? undefined : findProgram('prlimit')
  return prlimit ? [prlimit, `--nproc=${command.maxProcesses}`, '--'] : []
}

async function killGuarded(box: StartedBox, key: string, uid: number | undefined): Promise<void> {
  box.stdin.destroy()
  await endLeftovers({ key }, uid)
  await withinMs(box.exited, 2_000, undefined)
  killGroup(box.pid)
  await box.exited
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The whole group has ended.
  }
}
