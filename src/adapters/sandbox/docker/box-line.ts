import {
  boxEnvironment,
  clearsSetuid,
  executorArguments,
  systemPath,
  withoutNetwork,
} from '../box-environment.ts'
import type { BoxLimits } from '../sandbox-options.ts'
import type { EngineFacts } from './engine-facts.ts'

/** Node in an image made by our Dockerfile: everybody may run it and nobody read it, so that commands cannot trace it. */
const sealedNode = '/opt/countersign/node'

/**
 * The first process of a container: starts the executor, lets go of the container's streams, with which a command could answer
 * calls in its place, and waits for it and for processes that lost their parent.
 */
const firstProcess = `
node=node
[ ! -x ${sealedNode} ] || node=${sealedNode}
exec 3<&0
"$node" "$@" <&3 3<&- &
child=$!
exec </dev/null >/dev/null 2>&1 3<&-
wait $child
`

/** Where every box has the executor that this version of Countersign speaks with. */
export const executorPlace = '/opt/countersign/executor'

/** What a container carries, so that those of a dead worker are found: its box's key. */
export const keyLabel = 'countersign.box'
/** Which installation made it, in words for a person: its cache directory. */
const ownerLabel = 'countersign.installation'

/** What all boxes of a driver share. */
export interface Container {
  readonly facts: EngineFacts
  readonly limits: BoxLimits
  readonly image: string
  /** Names this installation. */
  readonly owner: string
  /** Of boxes that are to have one. */
  readonly network: string | undefined
}

/** What is one box's own. */
export interface BoxedContainer {
  readonly name: string
  readonly key: string
  /** What it calls its workspace. */
  readonly workspace: string
  /** Arguments that say who it runs as. */
  readonly user: readonly string[]
  /** Arguments that mount its places. */
  readonly mounts: readonly string[]
  readonly hasNetwork: boolean
}

/** BOX-03: arguments of the engine's program that make a box's container, which is removed when it ends. */
export function boxLine(container: Container, box: BoxedContainer): readonly string[] {
  const args = ['-c', firstProcess, 'countersign-box', ...executorArguments(executorPlace)]
  return [
    ...['create', `--name=${box.name}`],
    ...[`--label=${keyLabel}=${box.key}`, `--label=${ownerLabel}=${container.owner}`],
    ...['--interactive', '--rm', '--pull=never'],
    // Else the engine would keep all that the executor says: the contents of files.
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

/** An engine refuses to make what it cannot limit so, or more processors than there are. */
function limitsOf({ facts, limits }: Container): readonly string[] {
  const { pids, memory, cpus } = facts.limits
  return [
    ...(pids ? [`--pids-limit=${limits.pids}`] : []),
    // No more with swap than without.
    ...(memory ? [`--memory=${limits.memoryBytes}b`, `--memory-swap=${limits.memoryBytes}b`] : []),
    ...(cpus ? [`--cpus=${Math.min(limits.cpus, facts.cpus)}`] : []),
  ]
}

function temporary({ tmpBytes }: BoxLimits): string {
  return `--tmpfs=/tmp:rw,exec,nosuid,nodev,size=${tmpBytes},mode=1777`
}

/** Named without a value, a variable is taken away: the program's own configuration puts these into containers. */
const proxies = ['http_proxy', 'https_proxy', 'ftp_proxy', 'all_proxy', 'no_proxy'].flatMap(
  (name) => [name, name.toUpperCase()],
)

function environmentOf({ key, workspace, hasNetwork }: BoxedContainer): readonly string[] {
  const network = hasNetwork ? {} : withoutNetwork
  const own = boxEnvironment({ key, home: workspace, path: systemPath, rg: undefined })
  return [
    ...Object.entries({ ...own, COUNTERSIGN_ALONE: 'box', ...clearsSetuid, ...network }).map(
      ([name, it]) => `--env=${name}=${it}`,
    ),
    ...proxies.map((name) => `--env=${name}`),
  ]
}
