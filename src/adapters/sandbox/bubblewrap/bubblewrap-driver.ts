import { statSync } from 'node:fs'
import { mkdir, realpath, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import PQueue from 'p-queue'
import { english } from '../../../domain/messages/messages.ts'
import type { Box, BoxSpec, SandboxDriver } from '../../../ports/sandbox.ts'
import { newId } from '../../../util/ids.ts'
import { runCommand } from '../../../util/run-command.ts'
import {
  boxMounts,
  type Cover,
  type Mount,
  type NamedSpec,
  ownOfBoxes,
  workspaceName,
} from '../box-mounts.ts'
import { findProgram, releaseAfter } from '../find-program.ts'
import { endLeftovers } from '../leftovers.ts'
import { createPlaceholders } from '../placeholders.ts'
import {
  assertNoNetwork,
  defaultLimits,
  reachableRootOf,
  type SandboxOptions,
  SandboxUnavailable,
} from '../sandbox-options.ts'
import { filterProgram } from '../seccomp/filter-program.ts'
import { type Owner, spawnBox, workspaceOwner } from '../spawn-box.ts'
import { watchCovers } from '../watch-covers.ts'
import { type BoxCgroups, openCgroups } from './cgroup.ts'
import { type Filters, type Jail, jailLine, ownFiles, reachableFiles } from './jail-line.ts'
import { bindExisting } from './synthetic-etc.ts'

/** Boxes use the programs of the host. */
const system = { own: [], shared: [{ host: '/usr', box: '/usr', writable: false }] } as const

/** Paths that mounts must not hide. */
const own = [...ownOfBoxes, '/usr']

/**
 * Creates the driver that runs the executor in a bubblewrap jail (BOX-04). Rejects with SandboxUnavailable if bubblewrap is
 * missing.
 */
export async function createBubblewrapDriver(options: SandboxOptions): Promise<SandboxDriver> {
  assertNoNetwork('bubblewrap', options)
  const bwrap = options.bwrapBinary ?? findProgram('bwrap')
  if (bwrap === undefined)
    throw new SandboxUnavailable('bwrap is not installed (package bubblewrap)')
  const cgroups = await openCgroups()
  const limits = options.limits ?? defaultLimits
  const isRoot = process.getuid?.() === 0
  const files = await (isRoot ? reachableFiles(options) : ownFiles(options))
  const jail: Jail = {
    bwrap,
    limits,
    hardening: await hardeningOf(bwrap),
    files,
    rg: options.rgBinary !== undefined,
    filters: await writeFilters(options.cacheDir, bwrap),
  }
  // Root stays mapped in a box that root starts: only the filter forbids further user namespaces.
  if (isRoot && jail.filters === undefined)
    throw new SandboxUnavailable(
      'no filter of system calls works here, and boxes that root starts need one: start Countersign as another user',
    )
  const placeholders = createPlaceholders()
  // One at a time, as two boxes of one workspace would both give it away.
  const queue = new PQueue({ concurrency: 1 })
  const give = (spec: BoxSpec) => queue.add(() => workspaceOwner(spec, reachableRootOf(options)))
  // Programs come from the host, so a workspace may contain some of them.
  const nameOf = (host: string): string => workspaceName(host, options.keptWorkspace, own)
  return {
    name: 'bubblewrap',
    confined: true,
    warnings: [...limitWarnings(cgroups), ...filterWarnings(jail)],
    refusesSetuid: jail.filters !== undefined,
    boxWorkspace: nameOf,
    start: async (spec) => {
      const owner = isRoot ? await give(spec) : undefined
      const named = { ...spec, name: nameOf(spec.workspace) }
      return startBox(jail, named, { owner, cgroups, placeholders })
    },
    // The box ends with its bwrap process, whose environment has the box's key.
    sweep: async (prefix) => (await endLeftovers({ prefix })).length,
  }
}

/** Writes the filters of boxes; undefined if bwrap or the kernel does not support them. */
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

/** Tests options that some versions of bubblewrap or the kernel lack. */
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

/** Warnings about missing protections, which the operator must be able to weigh. */
function filterWarnings({ hardening, filters }: Jail): readonly string[] {
  if (filters !== undefined) return []
  const { filter, namespaces } = english.cards.boxes
  return hardening.disableUserns ? [filter] : [filter, namespaces]
}

function limitWarnings(cgroups: BoxCgroups | undefined): readonly string[] {
  if (cgroups) return []
  return [english.cards.boxes.memoryGroup]
}

interface BoxResources {
  readonly owner: Owner | undefined
  readonly cgroups: BoxCgroups | undefined
  readonly placeholders: ReturnType<typeof createPlaceholders>
}

async function startBox(jail: Jail, spec: NamedSpec, resources: BoxResources): Promise<Box> {
  const workspace = await realpath(spec.workspace)
  const mounts = jailMounts({ ...spec, workspace })
  const cgroup = await resources.cgroups?.make(jail.limits)
  resources.placeholders.boxStarts(mounts.placeholders)
  const uncovered = Promise.withResolvers<void>()
  const watched = watchCovers(mounts.covered, uncovered.resolve)
  const tidy = async () => {
    watched[Symbol.dispose]()
    await resources.placeholders.boxEnded()
    if (cgroup !== undefined) await resources.cgroups?.end(cgroup)
  }
  try {
    const line = jailLine(jail, {
      key: spec.key,
      name: spec.name,
      mounts: mounts.arguments,
      hasParts: spec.workspaceParts !== undefined,
      owner: resources.owner,
      cgroup,
      hasSetgid: [workspace, ...spec.readWrite].some(hasSetgid),
      program: spec.program,
    })
    const box = await spawnBox({ ...line, cwd: '/' })
    const exited = releaseAfter(box.exited, tidy)
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

/** Kills bwrap; its first process dies with it (--die-with-parent), and so does the whole pid namespace. */
async function killBox(pid: number, exited: Box['exited']): Promise<void> {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The box has ended.
  }
  await exited
}

/** Writes a box's filter below `cacheDir` and returns its path; undefined on an unknown processor. */
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

/** Bubblewrap arguments that mount the paths of a box and cover the masked ones. */
function jailMounts(spec: NamedSpec) {
  const { mounts, covers, covered, placeholders } = boxMounts(spec, system)
  return {
    arguments: [...mounts.flatMap(toBind), ...covers.flatMap(toCover)],
    covered,
    placeholders,
  }
}

function toBind(mount: Mount): readonly string[] {
  return bindExisting(mount.writable ? '--bind-try' : '--ro-bind-try', mount.host, mount.box)
}

function toCover({ box, directory }: Cover): readonly string[] {
  return directory ? ['--tmpfs', box, '--remount-ro', box] : ['--ro-bind', '/dev/null', box]
}
