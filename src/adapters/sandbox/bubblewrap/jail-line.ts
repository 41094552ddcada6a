import {
  boxEnvironment,
  clearsSetuid,
  executorArguments,
  systemPath,
  withoutNetwork,
} from '../box-environment.ts'
import { findProgram } from '../find-program.ts'
import type { BoxLimits } from '../sandbox-options.ts'
import { SandboxUnavailable } from '../sandbox-unavailable.ts'
import type { BoxCommand } from '../spawn-box.ts'
import { boxFiles } from './box-files.ts'
import { boxUid } from './synthetic-etc.ts'

/** Compiled filters on disk, by whether `chmod` may repeat a setgid bit. */
export interface Filters {
  readonly strict: string
  readonly keepsSetgid: string
}

/** What all boxes of a driver share. */
export interface Jail {
  readonly bwrap: string
  readonly limits: BoxLimits
  /** Which of bubblewrap's younger options work here. */
  readonly hardening: { readonly disableUserns: boolean; readonly sizedTmp: boolean }
  /** Arguments that mount the system and our programs. */
  readonly files: readonly string[]
  readonly rg: boolean
  /** Files of seccomp filters; undefined where this processor's calls are not known. */
  readonly filters: Filters | undefined
}

/** What is one box's own. */
export interface JailedBox {
  readonly key: string
  /** What it calls its workspace. */
  readonly name: string
  /** Arguments that mount its workspace and places. */
  readonly mounts: readonly string[]
  /** Whether those hold parts of the workspace instead of the whole. */
  readonly hasParts: boolean
  /** A user other than ours who starts it. */
  readonly user: number | undefined
  /** Folder of its control group. */
  readonly cgroup: string | undefined
  /** Whether folders that it may write carry the setgid bit. */
  readonly hasSetgid: boolean
}

/**
 * The command line of a box. Its environment is the box's: bwrap passes on what it has, which is nothing of ours. The pipes of
 * the protocol come as descriptors 3 and 4, which bwrap keeps from the box's first process: what a command could take from
 * there it could answer calls with.
 */
export function jailLine(jail: Jail, box: JailedBox): Omit<BoxCommand, 'cwd'> {
  const rg = jail.rg ? boxFiles.rg : undefined
  const own = boxEnvironment({ key: box.key, home: box.name, path: systemPath, rg })
  const fifth = jail.filters?.[box.hasSetgid ? 'keepsSetgid' : 'strict']
  // Where `chmod` may repeat the bit for folders it may for files.
  const isClean = fifth !== undefined && !box.hasSetgid
  const counted =
    box.cgroup === undefined ? { COUNTERSIGN_PROCESSES: String(jail.limits.pids) } : {}
  const told = { ...withoutNetwork, ...(isClean ? {} : clearsSetuid), ...counted }
  const env = { ...own, COUNTERSIGN_ALONE: 'box', ...told }
  const [file = '', ...args] = [
    ...joinCgroup(box.cgroup),
    ...asUser(box.user),
    ...[jail.bwrap, ...namespaces(jail)],
    // Read-only: to the kernel a box of root is root, who may write /proc/sys without any capability.
    ...['--proc', '/proc', '--remount-ro', '/proc', '--dev', '/dev', ...temporary(jail)],
    ...jail.files,
    // There also where nothing of the workspace is, and then nothing can be put there.
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

/** The shell enters the group before it becomes bwrap, so that nothing is started outside. */
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

/** Set inside, where it counts the box's processes alone. The kernel exempts boxes of root, whose executor counts instead. */
function processLimit(limits: BoxLimits): readonly string[] {
  const prlimit = findProgram('prlimit')
  return prlimit ? [prlimit, `--nproc=${limits.pids}`, '--'] : []
}
