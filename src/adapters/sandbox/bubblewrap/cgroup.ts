import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { newId } from '../../../util/ids.ts'
import { type BoxLimits, defaultLimits } from '../sandbox-options.ts'

/** Control groups (version 2) below a delegated one. */
export interface BoxCgroups {
  /** Creates the group of a box and returns its directory. */
  make(limits: BoxLimits): Promise<string>
  /** Kills all processes in a box's group and removes it. */
  end(dir: string): Promise<void>
}

/** Finds a group that may be subdivided: our own, or its parent; undefined if there is none. */
export async function openCgroups(
  mountPoint = '/sys/fs/cgroup',
  membership = '/proc/self/cgroup',
): Promise<BoxCgroups | undefined> {
  const own = await ownGroup(mountPoint, membership)
  if (own === undefined) return undefined
  for (const group of new Set([own, own === mountPoint ? own : dirname(own)])) {
    if (await delegates(group)) return { make: (limits) => make(group, limits), end }
  }
  return undefined
}

async function ownGroup(mountPoint: string, membership: string): Promise<string | undefined> {
  const text = await readFile(membership, 'utf8').catch(() => '')
  const path = /^0::(.*)$/m.exec(text)?.[1]
  return path === undefined ? undefined : join(mountPoint, path)
}

/** Tested, as permissions, kernel settings and a container's read-only mount all matter. */
async function delegates(group: string): Promise<boolean> {
  try {
    await writeFile(join(group, 'cgroup.subtree_control'), '+pids +memory +cpu')
    await end(await make(group, { ...defaultLimits, pids: 10 }))
    return true
  } catch {
    return false
  }
}

async function make(group: string, limits: BoxLimits): Promise<string> {
  const dir = join(group, `countersign-${newId()}`)
  await mkdir(dir)
  try {
    await set(dir, 'pids.max', limits.pids)
    await set(dir, 'memory.max', limits.memoryBytes)
    await set(dir, 'cpu.max', `${Math.round(limits.cpus * 100_000)} 100000`)
    return dir
  } catch (error) {
    await rmdir(dir)
    throw error
  }
}

/** Writes to existing files only: a directory without them is not a control group. */
async function set(dir: string, file: string, value: string | number): Promise<void> {
  await writeFile(join(dir, file), String(value), { flag: 'r+' })
}

async function end(dir: string): Promise<void> {
  await set(dir, 'cgroup.kill', 1).catch(() => undefined)
  // A group cannot be removed while a killed process is still exiting.
  for (let tries = 0; tries < 50; tries += 1) {
    const removed = await rmdir(dir).then(
      () => true,
      () => false,
    )
    if (removed) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
