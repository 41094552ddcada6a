import {
  boxEnvironment,
  clearsSetuid,
  executorArguments,
  systemPath,
  withoutNetwork,
} from '../box-environment.ts'
import { findProgram } from '../find-program.ts'
import type { BoxLimits } from '../sandbox-options.ts'
import { SandboxUnavailable } from '../sandbox-options.ts'
import type { BoxCommand } from '../spawn-box.ts'
import { boxFiles } from './box-files.ts'
import { boxUid } from './synthetic-etc.ts'

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
export interface JailedBox {
  readonly key: string
  /** Path of the workspace in the box. */
  readonly name: string
  /** Arguments that mount the workspace and other paths. */
  readonly mounts: readonly string[]
  /** Whether only parts of the workspace are mounted. */
  readonly hasParts: boolean
  /** User that starts the box, if not our own. */
  readonly user: number | undefined
  /** Directory of the control group. */
  readonly cgroup: string | undefined
  /** Whether writable directories have the setgid bit. */
  readonly hasSetgid: boolean
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
  const env = { ...own, COUNTERSIGN_ALONE: 'box', ...extraEnv }
  const [file = '', ...args] = [
    ...joinCgroup(box.cgroup),
    ...asUser(box.user),
    ...[jail.bwrap, ...namespaces(jail)],
    // Read-only, as the kernel lets a box of root write to /proc/sys without any capability.
    ...['--proc', '/proc', '--remount-ro', '/proc', '--dev', '/dev', ...temporary(jail)],
    ...jail.files,
    // The workspace directory must exist even without content, and is then read-only.
    ...(box.hasParts ? ['--tmpfs', box.name] : []),
    ...box.mounts,
    ...(box.hasParts ? ['--remount-ro', box.name] : []),
    ...['--remount-ro', '/', '--chdir', box.name],
    ...(fifth === undefined ? [] : ['--seccomp', '5']),
    '--',
    ...(box.cgroup === undefined ? processLimit(jail.limits) : []),
    ...['/bin/sh', '-c', 'exec "$@" <&3 >&4 3<&- 4>&-', 'countersign-box'],
    ...[boxFiles.node, ...executorArguments(boxFiles.executor)],
  ]
  return { file, args, env, apart: true, ...(fifth === undefined ? {} : { fifth }) }
}

/** The shell joins the group before it becomes bwrap, so that nothing runs outside. */
function joinCgroup(dir: string | undefined): readonly string[] {
  if (dir === undefined) return []
  return ['/bin/sh', '-c', 'echo $$ > "$0" && exec "$@"', `${dir}/cgroup.procs`]
}

function asUser(uid: number | undefined): readonly string[] {
  if (uid === undefined) return []
  const setpriv = findProgram('setpriv')
  if (!setpriv) throw new SandboxUnavailable('setpriv is not installed (package util-linux)')
  return [setpriv, `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--']
}

function namespaces(jail: Jail): readonly string[] {
  return [
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net'],
    ...['--unshare-cgroup-try', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...['--uid', String(boxUid), '--gid', String(boxUid), '--hostname', 'countersign'],
    ...(jail.hardening.disableUserns ? ['--disable-userns'] : []),
  ]
}

function temporary(jail: Jail): readonly string[] {
  const size = jail.hardening.sizedTmp ? ['--size', String(jail.limits.tmpBytes)] : []
  return [...size, '--tmpfs', '/tmp']
}

/**
 * Set inside the box, where it counts only the box's processes. The kernel exempts boxes of root, whose executor counts
 * instead.
 */
function processLimit(limits: BoxLimits): readonly string[] {
  const prlimit = findProgram('prlimit')
  return prlimit ? [prlimit, `--nproc=${limits.pids}`, '--'] : []
}
