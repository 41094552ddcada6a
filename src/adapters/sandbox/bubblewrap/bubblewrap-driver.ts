import { statSync } from 'node:fs'
import { mkdir, realpath, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Box, SandboxDriver } from '../../../ports/sandbox.ts'
import { newId } from '../../../util/new-id.ts'
import { runCommand } from '../../../util/run-command.ts'
import { boxMounts, type Cover, type Mount, type NamedSpec, ownOfBoxes } from '../box-mounts.ts'
import { findProgram } from '../find-program.ts'
import { endLeftovers } from '../leftovers.ts'
import { assertNoNetwork } from '../no-network.ts'
import { createPlaceholders } from '../placeholders.ts'
import { uidRange } from '../process/claim-uid.ts'
import { defaultLimits, type SandboxOptions } from '../sandbox-options.ts'
import { SandboxUnavailable } from '../sandbox-unavailable.ts'
import { filterProgram } from '../seccomp/filter-program.ts'
import { spawnBox } from '../spawn-box.ts'
import { tidyAfter } from '../tidy-after.ts'
import { watchCovers } from '../watch-covers.ts'
import { workspaceName } from '../workspace-name.ts'
import { ownFiles, reachableFiles } from './box-files.ts'
import { type BoxCgroups, openCgroups } from './cgroup.ts'
import { type Filters, type Jail, jailLine } from './jail-line.ts'

/** Boxes see the host's programs. */
const system = { own: [], shared: [{ host: '/usr', box: '/usr', writable: false }] } as const

/** What no place of the host may hide. */
const own = [...ownOfBoxes, '/usr']

/** BOX-04: the executor in a bubblewrap jail. Rejects with SandboxUnavailable when there is no bubblewrap. */
export async function createBubblewrapDriver(options: SandboxOptions): Promise<SandboxDriver> {
  assertNoNetwork('bubblewrap', options)
  const bwrap = options.bwrapBinary ?? findProgram('bwrap')
  if (bwrap === undefined)
    throw new SandboxUnavailable('bwrap is not installed (package bubblewrap)')
  const cgroups = await openCgroups()
  const limits = options.limits ?? defaultLimits
  const files = await ownFiles(options)
  const jail: Jail = {
    bwrap,
    limits,
    hardening: await hardeningOf(bwrap),
    files,
    rg: options.rgBinary !== undefined,
    filters: await writeFilters(options.cacheDir, bwrap),
  }
  // In files of root a box is root to the kernel, without its rights: nothing may be left that runs as it (THREAT-31).
  if (process.getuid?.() === 0 && jail.filters === undefined)
    throw new SandboxUnavailable(
      'no filter of system calls works here, and boxes of root need one: start Countersign as another user',
    )
  const placeholders = createPlaceholders()
  // The system's programs are the host's, so that a workspace may lie among them.
  const nameOf = (host: string): string => workspaceName(host, options.keptWorkspace, own)
  return {
    name: 'bubblewrap',
    confined: true,
    warnings: [...limitWarnings(cgroups), ...filterWarnings(jail)],
    refusesSetuid: jail.filters !== undefined,
    boxWorkspace: nameOf,
    start: async (spec) => {
      const user = await foreignOwner(spec.workspace)
      const its = user === undefined ? jail : { ...jail, files: await reachableFiles(options) }
      const named = { ...spec, name: nameOf(spec.workspace) }
      return startBox(its, named, { user, cgroups, placeholders })
    },
    // A box is gone with the bwrap process around it, whose environment is the box's.
    sweep: async (prefix) => (await endLeftovers({ prefix })).length,
  }
}

/** Writes the filters of boxes; undefined where bwrap or the kernel takes none. */
async function writeFilters(cacheDir: string, bwrap: string): Promise<Filters | undefined> {
  const [strict, keepsSetgid] = await Promise.all([
    writeFilter(cacheDir, false),
    writeFilter(cacheDir, true),
  ])
  if (strict === undefined || keepsSetgid === undefined) return undefined
  const tried = spawnBox({
    file: bwrap,
    args: ['--unshare-user', '--ro-bind', '/', '/', '--seccomp', '5', '--', '/bin/sh', '-c', ':'],
    env: {},
    cwd: '/',
    apart: true,
    fifth: strict,
  })
  const box = await tried.catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new SandboxUnavailable(`bubblewrap cannot be started: ${why}`, { cause })
  })
  return (await box.exited).code === 0 ? { strict, keepsSetgid } : undefined
}

/** Options that not every version of bubblewrap or every kernel takes, each tried out. */
async function hardeningOf(bwrap: string): Promise<Jail['hardening']> {
  const [disableUserns, sizedTmp] = await Promise.all([
    works(bwrap, ['--disable-userns']),
    works(bwrap, ['--size', '1048576', '--tmpfs', '/tmp']),
  ])
  return { disableUserns, sizedTmp }
}

async function works(bwrap: string, args: readonly string[]): Promise<boolean> {
  const line = ['--unshare-user', '--ro-bind', '/', '/', ...args, '--', '/bin/sh', '-c', ':']
  return runCommand(bwrap, line, { env: {}, timeout: 10_000 }).then(
    () => true,
    () => false,
  )
}

/** What a fault of the kernel can be reached through is an operator's to weigh: it must not fall away unsaid. */
function filterWarnings({ hardening, filters }: Jail): readonly string[] {
  if (filters !== undefined) return []
  const said =
    'no filter of system calls works here: setuid bits are taken away only when a call has ended'
  const namespaces =
    'commands can make user namespaces of their own inside their box: bwrap --disable-userns does not work here'
  return hardening.disableUserns ? [said] : [said, namespaces]
}

function limitWarnings(cgroups: BoxCgroups | undefined): readonly string[] {
  if (cgroups) return []
  return ['no limit on memory here: no control group (version 2) is delegated to Countersign']
}

/** The workspace's owner when root starts a box in somebody else's files: root's rights do not count in a box. */
async function foreignOwner(workspace: string): Promise<number | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const { uid, gid } = await stat(workspace)
  if (uid !== 0) return uid
  // One that the process driver lent.
  return gid >= uidRange.first && gid < uidRange.first + uidRange.count ? gid : undefined
}

interface Surroundings {
  readonly user: number | undefined
  readonly cgroups: BoxCgroups | undefined
  readonly placeholders: ReturnType<typeof createPlaceholders>
}

async function startBox(jail: Jail, spec: NamedSpec, around: Surroundings): Promise<Box> {
  const workspace = await realpath(spec.workspace)
  const mounts = jailMounts({ ...spec, workspace })
  const cgroup = await around.cgroups?.make(jail.limits)
  around.placeholders.boxStarts(mounts.placeholders)
  const uncovered = Promise.withResolvers<void>()
  const watched = watchCovers(mounts.covered, uncovered.resolve)
  const tidy = async () => {
    watched[Symbol.dispose]()
    await around.placeholders.boxEnded()
    if (cgroup !== undefined) await around.cgroups?.end(cgroup)
  }
  try {
    const line = jailLine(jail, {
      key: spec.key,
      name: spec.name,
      mounts: mounts.arguments,
      hasParts: spec.workspaceParts !== undefined,
      user: around.user,
      cgroup,
      hasSetgid: [workspace, ...spec.readWrite].some(hasSetgid),
    })
    const box = await spawnBox({ ...line, cwd: '/' })
    const exited = tidyAfter(box.exited, tidy)
    const kill = () => killBox(box.pid, exited)
    void uncovered.promise.then(kill)
    return { ...box, exited, kill }
  } catch (error) {
    await tidy()
    throw error
  }
}

function hasSetgid(path: string): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o2000) !== 0
}

/** The box's first process dies with bwrap (--die-with-parent), and with it everything in its pid namespace. */
async function killBox(pid: number, exited: Box['exited']): Promise<void> {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The box has ended.
  }
  await exited
}

/** Writes a box's filter below `cacheDir` and answers its file; undefined on processors whose calls are not known. */
async function writeFilter(cacheDir: string, keepsSetgid: boolean): Promise<string | undefined> {
  const program = filterProgram(process.arch, keepsSetgid)
  if (program === undefined) return undefined
  await mkdir(cacheDir, { recursive: true })
  const file = join(cacheDir, keepsSetgid ? 'filter-setgid.bpf' : 'filter.bpf')
  const draft = `${file}-${newId()}`
  await writeFile(draft, program, { mode: 0o644 })
  await rename(draft, file)
  return file
}

/** The places that a box sees, with bubblewrap's arguments that mount them, and cover what is hidden in them. */
function jailMounts(spec: NamedSpec) {
  const { mounts, covers, covered, placeholders } = boxMounts(spec, system)
  return {
    arguments: [...mounts.flatMap(toBind), ...covers.flatMap(toCover)],
    covered,
    placeholders,
  }
}

function toBind(mount: Mount): readonly string[] {
  return [mount.writable ? '--bind-try' : '--ro-bind-try', mount.host, mount.box]
}

function toCover({ box, directory }: Cover): readonly string[] {
  return directory ? ['--tmpfs', box, '--remount-ro', box] : ['--ro-bind', '/dev/null', box]
}
