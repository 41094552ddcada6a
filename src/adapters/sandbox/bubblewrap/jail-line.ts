import { lstatSync, readlinkSync } from 'node:fs'
import { type BoxProgram, boxExecutor } from '../../../ports/sandbox.ts'
import {
  boxEnvironment,
  clearsSetuid,
  executorArguments,
  systemPath,
  withNode,
  withoutNetwork,
} from '../box-environment.ts'
import { findProgram } from '../find-program.ts'
import { makeReachable, reachableProgram, sealedProgram } from '../reachable.ts'
import {
  type BoxLimits,
  programsDirOf,
  reachableRootOf,
  type SandboxOptions,
  SandboxUnavailable,
} from '../sandbox-options.ts'
import type { BoxCommand, Owner } from '../spawn-box.ts'
import { stageExecutor } from '../stage-executor.ts'
import { boxUid, syntheticEtc } from './synthetic-etc.ts'

const roots = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

const node = '/opt/countersign/node'

const rg = '/opt/countersign/rg'

/** Paths in the box of the product's programs. */
const boxFiles = { node, executor: boxExecutor, rg } as const

/** Compiled filters on disk, by whether `chmod` may repeat a setgid bit. */
export interface Filters {
  readonly strict: string
  readonly keepsSetgid: string
}

/** Properties shared by all boxes of a driver. */
export interface Jail {
  readonly bwrap: string
  readonly limits: BoxLimits
  /** Newer options of bubblewrap that work here. */
  readonly hardening: { readonly disableUserns: boolean; readonly sizedTmp: boolean }
  /** Arguments that mount the system and the programs. */
  readonly files: readonly string[]
  readonly rg: boolean
  /** Files of seccomp filters; undefined on an unknown processor. */
  readonly filters: Filters | undefined
}

/** Properties of one box. */
interface JailedBox {
  readonly key: string
  /** Path of the workspace in the box. */
  readonly name: string
  /** Arguments that mount the workspace and other paths. */
  readonly mounts: readonly string[]
  /** Whether only parts of the workspace are mounted. */
  readonly hasParts: boolean
  /** User of the host as whom the box runs, if not as our own. */
  readonly owner: Owner | undefined
  /** Directory of the control group. */
  readonly cgroup: string | undefined
  /** Whether writable directories have the setgid bit. */
  readonly hasSetgid: boolean
  /** Runs in place of the executor. */
  readonly program: BoxProgram | undefined
}

/**
 * The command line of a box. Its environment is that of bwrap, which passes it on. The pipes of the protocol are descriptors 3
 * and 4, which bwrap does not pass to the box's first process: a command could take them from there and answer calls itself.
 */
export function jailLine(jail: Jail, box: JailedBox): Omit<BoxCommand, 'cwd'> {
  const rg = jail.rg ? boxFiles.rg : undefined
  const own = boxEnvironment({ key: box.key, home: box.name, path: systemPath, rg })
  const fifth = jail.filters?.[box.hasSetgid ? 'keepsSetgid' : 'strict']
  // If `chmod` may repeat the bit for directories, it may set it on files too.
  const isClean = fifth !== undefined && !box.hasSetgid
  const counted =
    box.cgroup === undefined ? { COUNTERSIGN_PROCESSES: String(jail.limits.pids) } : {}
  const extraEnv = { ...withoutNetwork, ...(isClean ? {} : clearsSetuid), ...counted }
  const env = { ...own, ...(box.program?.env ?? { COUNTERSIGN_ALONE: 'box', ...extraEnv }) }
  const [file = '', ...args] = [
    ...joinCgroup(box.cgroup),
    ...[jail.bwrap, ...namespaces(jail, box.owner)],
    // Read-only, as the kernel lets a process of root write to /proc/sys without any capability.
    ...['--proc', '/proc', '--remount-ro', '/proc', '--dev', '/dev'],
    ...temporary(jail, box.owner),
    ...jail.files,
    // The workspace directory must exist even without content, and is then read-only.
    ...(box.hasParts ? ['--tmpfs', box.name] : []),
    ...box.mounts,
    ...(box.hasParts ? ['--remount-ro', box.name] : []),
    ...['--remount-ro', '/', '--chdir', '/'],
    ...(fifth === undefined ? [] : ['--seccomp', '5']),
    '--',
    ...(box.cgroup === undefined ? processLimit(jail.limits) : []),
    ...(box.owner === undefined ? [] : becomeOwner()),
    // The owner enters the workspace, as root without capabilities may not: it may be closed to all others.
    ...['/bin/sh', '-c', 'cd "$1" && shift && exec "$@" <&3 >&4 3<&- 4>&- 7<&-'],
    ...['countersign-box', box.name],
    ...(box.program === undefined
      ? [boxFiles.node, ...executorArguments(boxFiles.executor)]
      : withNode(box.program.command, boxFiles.node)),
  ]
  const owner = box.owner && { host: box.owner, inner: boxUid }
  return { file, args, env, apart: true, ...(fifth && { fifth }), ...(owner && { owner }) }
}

/** The shell joins the group before it becomes bwrap, so that nothing runs outside. */
function joinCgroup(dir: string | undefined): readonly string[] {
  if (dir === undefined) return []
  return ['/bin/sh', '-c', 'echo $$ > "$0" && exec "$@"', `${dir}/cgroup.procs`]
}

/**
 * Changes from root, who made the mounts, to the owner. All capabilities end with that, the bounding set included; what
 * bubblewrap set before it forbids new ones.
 */
function becomeOwner(): readonly string[] {
  const setpriv = findProgram('setpriv')
  if (!setpriv) throw new SandboxUnavailable('setpriv is not installed (package util-linux)')
  const ids = [`--reuid=${boxUid}`, `--regid=${boxUid}`, '--clear-groups']
  return [setpriv, ...ids, '--inh-caps=-all', '--bounding-set=-all', '--']
}

/** With an owner the filter forbids further user namespaces: `--disable-userns` would add one without the owner. */
function namespaces(jail: Jail, owner: Owner | undefined): readonly string[] {
  const all = [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net'],
    ...['--unshare-cgroup-try', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...['--hostname', 'countersign'],
  ]
  if (owner !== undefined) {
    const needed = ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP']
    const mapped = ['--info-fd', '6', '--userns-block-fd', '7']
    return [...all, ...needed.flatMap((name) => ['--cap-add', name]), ...mapped]
  }
  const userns = jail.hardening.disableUserns ? ['--disable-userns'] : []
  return [...all, '--uid', String(boxUid), '--gid', String(boxUid), ...userns]
}

/** Directories that root makes for an owner are open to all, as `/tmp` is elsewhere. */
function temporary(jail: Jail, owner: Owner | undefined): readonly string[] {
  const size = jail.hardening.sizedTmp ? ['--size', String(jail.limits.tmpBytes)] : []
  if (owner === undefined) return [...size, '--tmpfs', '/tmp']
  return ['/tmp', '/dev/shm'].flatMap((path) => [...size, '--perms', '1777', '--tmpfs', path])
}

/**
 * Set inside the box, where it counts only the box's processes. The kernel exempts boxes of root, whose executor counts
 * instead.
 */
function processLimit(limits: BoxLimits): readonly string[] {
  const prlimit = findProgram('prlimit')
  return prlimit ? [prlimit, `--nproc=${limits.pids}`, '--'] : []
}

/** Bubblewrap arguments that mount the system and the programs, for boxes of our own user. */
export async function ownFiles(options: SandboxOptions): Promise<readonly string[]> {
  const executorDir = await stageExecutor(options.executorDir, options.cacheDir)
  const nodeBinary = await sealedProgram(options.nodeBinary, programsDirOf(options))
  return toArguments(executorDir, { ...options, nodeBinary }, await syntheticEtc(options.cacheDir))
}

/** The same from copies that every user can read, for boxes of other users. */
export async function reachableFiles(options: SandboxOptions): Promise<readonly string[]> {
  const root = reachableRootOf(options)
  await makeReachable(root)
  const executorDir = await stageExecutor(options.executorDir, root)
  const nodeBinary = await sealedProgram(options.nodeBinary, options.programsDir ?? root)
  const copies = { ...options, nodeBinary }
  if (options.rgBinary === undefined)
    return toArguments(executorDir, copies, await syntheticEtc(root))
  const rgBinary = await reachableProgram(options.rgBinary, root)
  return toArguments(executorDir, { ...copies, rgBinary }, await syntheticEtc(root))
}

function toArguments(
  executorDir: string,
  programs: Pick<SandboxOptions, 'nodeBinary' | 'rgBinary'>,
  etc: readonly string[],
): readonly string[] {
  const search = programs.rgBinary === undefined ? [] : ['--ro-bind', programs.rgBinary, rg]
  return [
    ...systemMounts(),
    ...etc,
    ...['--dir', '/opt', '--dir', '/opt/countersign'],
    ...['--ro-bind', programs.nodeBinary, node],
    ...['--ro-bind', executorDir, boxExecutor],
    ...search,
  ]
}

/** Bubblewrap arguments for a read-only system: `/usr`, and the directories or links next to it. */
function systemMounts(): readonly string[] {
  return ['--ro-bind', '/usr', '/usr', ...roots.flatMap(mountRoot)]
}

function mountRoot(path: string): readonly string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return []
  return stats.isSymbolicLink()
    ? ['--symlink', readlinkSync(path), path]
    : ['--ro-bind', path, path]
}
