import { type BoxProgram, boxExecutor } from '../../../ports/sandbox.ts'
import {
  boxEnvironment,
  clearsSetuid,
  executorArguments,
  systemPath,
  withoutNetwork,
} from '../box-environment.ts'
import type { BoxLimits } from '../sandbox-options.ts'
import type { EngineFacts } from './engine-facts.ts'

/** Node in an image built by our Dockerfile: executable but not readable, so that commands cannot trace it. */
const sealedNode = '/opt/countersign/node'

/**
 * First process of a container: starts the executor or the program in its place, closes the container's streams, with which a
 * command could answer calls itself, and reaps orphaned processes.
 */
const firstProcess = `
if [ "$1" = node ] && [ -x ${sealedNode} ]; then shift; set -- ${sealedNode} "$@"; fi
exec 3<&0
"$@" <&3 3<&- &
child=$!
exec </dev/null >/dev/null 2>&1 3<&-
wait $child
`

/** Label with the box's key, by which containers of a dead worker are found. */
export const keyLabel = 'countersign.box'
/** Label with the cache directory, which tells the operator the installation. */
const ownerLabel = 'countersign.installation'

/** Properties shared by all boxes of a driver. */
export interface Container {
  readonly facts: EngineFacts
  readonly limits: BoxLimits
  readonly image: string
  /** Identifies this installation. */
  readonly owner: string
  /** Network of boxes that may use one. */
  readonly network: string | undefined
}

/** Properties of one box. */
export interface BoxedContainer {
  readonly name: string
  readonly key: string
  /** Path of the workspace in the box. */
  readonly workspace: string
  /** Arguments that set the user. */
  readonly user: readonly string[]
  /** Arguments that mount its paths. */
  readonly mounts: readonly string[]
  readonly hasNetwork: boolean
  /** Runs in place of the executor. */
  readonly program: BoxProgram | undefined
}

/** Arguments that create the container of a box, which is removed when it ends (BOX-03). */
export function boxLine(container: Container, box: BoxedContainer): readonly string[] {
  const line = box.program?.command ?? ['node', ...executorArguments(boxExecutor)]
  const args = ['-c', firstProcess, 'countersign-box', ...line]
  return [
    ...['create', `--name=${box.name}`],
    ...[`--label=${keyLabel}=${box.key}`, `--label=${ownerLabel}=${container.owner}`],
    ...['--interactive', '--rm', '--pull=never'],
    // Otherwise the engine would store everything the executor prints, including contents of files.
    '--log-driver=none',
    `--network=${(box.hasNetwork ? container.network : undefined) ?? 'none'}`,
    ...['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges'],
    ...['--hostname=countersign', ...box.user, ...limitsOf(container), temporary(container.limits)],
    ...box.mounts,
    `--workdir=${box.workspace}`,
    ...environmentOf(box),
    ...['--entrypoint=/bin/sh', container.image, ...args],
  ]
}

/** Engines refuse limits that they cannot enforce, and more processors than exist. */
function limitsOf({ facts, limits }: Container): readonly string[] {
  const { pids, memory, cpus } = facts.limits
  return [
    ...(pids ? [`--pids-limit=${limits.pids}`] : []),
    // No swap in addition to memory.
    ...(memory ? [`--memory=${limits.memoryBytes}b`, `--memory-swap=${limits.memoryBytes}b`] : []),
    ...(cpus ? [`--cpus=${Math.min(limits.cpus, facts.cpus)}`] : []),
  ]
}

function temporary({ tmpBytes }: BoxLimits): string {
  return `--tmpfs=/tmp:rw,exec,nosuid,nodev,size=${tmpBytes},mode=1777`
}

/** Without a value a variable is unset: the configuration of docker adds these to containers. */
const proxies = ['http_proxy', 'https_proxy', 'ftp_proxy', 'all_proxy', 'no_proxy'].flatMap(
  (name) => [name, name.toUpperCase()],
)

function environmentOf({ key, workspace, hasNetwork, program }: BoxedContainer): readonly string[] {
  const network = hasNetwork ? {} : withoutNetwork
  const own = boxEnvironment({ key, home: workspace, path: systemPath, rg: undefined })
  const ofExecutor = { COUNTERSIGN_ALONE: 'box', ...clearsSetuid, ...network }
  const values = { ...own, ...(program === undefined ? ofExecutor : {}) }
  return [
    ...Object.entries(values).map(([name, it]) => `--env=${name}=${it}`),
    // Values of a program's variables are secrets, and a command line can be read by others.
    ...Object.keys(program?.env ?? {}).map((name) => `--env=${name}`),
    ...proxies.map((name) => `--env=${name}`),
  ]
}
