import { statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import PQueue from 'p-queue'
import { english } from '../../../domain/messages/messages.ts'
import type { Box, BoxSpec, SandboxDriver } from '../../../ports/sandbox.ts'
import { canonicalPath } from '../box-mounts.ts'
import { endLeftovers } from '../leftovers.ts'
import { createPlaceholders } from '../placeholders.ts'
import { makeReachable, reachableProgram, sealedProgram } from '../reachable.ts'
import {
  assertNoNetwork,
  defaultLimits,
  reachableRootOf,
  type SandboxOptions,
  SandboxUnavailable,
} from '../sandbox-options.ts'
import { stageExecutor } from '../stage-executor.ts'
import { uidRange } from './claim-uid.ts'
import { startGuarded } from './guarded-box.ts'
import { ownWorkspace, reachableWorkspace, type WorkspaceRoots } from './own-workspace.ts'

/**
 * Creates the driver that runs the executor as a child process (BOX-08). Started by root, each workspace gets a user of its
 * own, whom file permissions keep from our secrets; otherwise commands are not confined, and `warnings` says so.
 */
export async function createProcessDriver(options: SandboxOptions): Promise<SandboxDriver> {
  assertNoNetwork('process', options)
  return process.getuid?.() === 0 ? createOwnUserDriver(options) : createSameUserDriver(options)
}

async function createSameUserDriver(options: SandboxOptions): Promise<SandboxDriver> {
  const executorDir = await stageExecutor(options.executorDir, options.cacheDir)
  return {
    name: 'process',
    confined: false,
    refusesSetuid: false,
    warnings: Object.values(english.cards.unconfined),
    boxWorkspace: canonicalPath,
    start: async (spec) => {
      assertNoProgram(spec)
      return startGuarded({
        key: spec.key,
        workspace: canonicalPath(spec.workspace),
        node: options.nodeBinary,
        executorDir,
        rg: options.rgBinary,
        path: options.path,
        uid: undefined,
        maxProcesses: Number.POSITIVE_INFINITY,
      })
    },
    sweep: async (prefix) => (await endLeftovers({ prefix })).length,
  }
}

async function createOwnUserDriver(options: SandboxOptions): Promise<SandboxDriver> {
  const root = reachableRootOf(options)
  await makeReachable(root)
  const executorDir = await stageExecutor(options.executorDir, root)
  const node = await sealedProgram(options.nodeBinary, options.programsDir ?? root)
  const rg = options.rgBinary && (await reachableProgram(options.rgBinary, root))
  const places: WorkspaceRoots = { reachableRoot: root, workspacesDir: options.workspacesDir }
  const maxProcesses = (options.limits ?? defaultLimits).pids
  const placeholders = createPlaceholders()
  // One at a time, as two boxes of one workspace would both move it.
  const queue = new PQueue({ concurrency: 1 })
  const prepare = ({ workspace, masked }: BoxSpec) =>
    queue.add(() => ownWorkspace(workspace, masked, places))
  return {
    name: 'process',
    confined: true,
    refusesSetuid: false,
    warnings: [english.cards.boxes.ownUser, english.cards.boxes.memory],
    boxWorkspace: (host) => reachableWorkspace(host, places),
    start: async (spec): Promise<Box> => {
      assertNoProgram(spec)
      const { path, uid, placeholders: made } = await prepare(spec)
      const { key } = spec
      const common = { node, executorDir, rg, path: options.path, maxProcesses }
      placeholders.boxStarts(made)
      try {
        const box = await startGuarded({ ...common, key, workspace: path, uid })
        void box.exited.then(() => placeholders.boxEnded())
        return box
      } catch (error) {
        await placeholders.boxEnded()
        throw error
      }
    },
    sweep: sweepOwnUsers,
  }
}

/** A program of somebody else needs walls: here it would have the network of this machine. */
function assertNoProgram({ program }: BoxSpec): void {
  if (program === undefined) return
  throw new SandboxUnavailable(
    'a program of its own needs bubblewrap or docker: the process driver keeps it neither from the network nor from files',
  )
}

/**
 * Searches for the boxes of each user as that user, as root may not be allowed to read other users' environments. A key is
 * counted once, though the arguments of its executor are visible to other users too.
 */
async function sweepOwnUsers(prefix: string): Promise<number> {
  const found = new Set<string>()
  for (const uid of await boxUsersAlive()) {
    for (const key of await endLeftovers({ prefix }, uid)) found.add(key)
  }
  return found.size
}

async function boxUsersAlive(): Promise<ReadonlySet<number>> {
  const entries = await readdir('/proc')
  const uids = entries
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid ?? 0)
  return new Set(
    uids.filter((uid) => uid >= uidRange.first && uid < uidRange.first + uidRange.count),
  )
}
