import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'

/** Memory of a process and of everything under it, in MB. Memory that several share counts once in all (PSS). */
export interface Memory {
  readonly node: number
  readonly postgres: number
  readonly boxes: number
}

/** Whether this system tells (Linux with /proc). */
export const canTellMemory = existsSync('/proc/self/smaps_rollup')

/** `postmaster` may be a child of `pid` or on its own, as one that was adopted. */
export async function memoryOf(pid: number, postmaster: number): Promise<Memory> {
  const parents = await readParents()
  const postgres = new Set([postmaster, ...descendantsOf(postmaster, parents)])
  const others = descendantsOf(pid, parents).filter((child) => !postgres.has(child))
  return {
    node: await pssOf([pid]),
    postgres: await pssOf([...postgres]),
    boxes: await pssOf(others),
  }
}

/** What a worker and its boxes take, in MB. */
export interface BoxesMemory {
  /** The most that the worker itself has had (RSS). */
  readonly workerPeak: number
  /** Of all processes in boxes, and of those that hold them (PSS). */
  readonly boxes: number
  /** Of the worker's children that are in no box (PSS): what holds boxes, or speaks with an engine that does. */
  readonly outside: number
}

/** Boxes are told by `COUNTERSIGN_BOX` in their environment, wherever an engine has put them. */
export async function boxesMemoryOf(pid: number, keyPrefix: string): Promise<BoxesMemory> {
  const parents = await readParents()
  const below = descendantsOf(pid, parents)
  const marked = new Set<number>()
  for (const each of parents.keys()) {
    const environment = await readFile(`/proc/${each}/environ`, 'utf8').catch(() => '')
    if (environment.includes(`COUNTERSIGN_BOX=${keyPrefix}`)) marked.add(each)
  }
  const outside = below.filter((each) => !marked.has(each))
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return {
    workerPeak: Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024,
    boxes: await pssOf([...marked, ...outside]),
    outside: await pssOf(outside),
  }
}

async function readParents(): Promise<ReadonlyMap<number, number>> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const entries = await Promise.all(pids.map(async (pid) => [pid, await parentOf(pid)] as const))
  return new Map(entries)
}

/** Field 4 of `/proc/<pid>/stat`; the name before it may hold anything. */
async function parentOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0)
}

function descendantsOf(pid: number, parents: ReadonlyMap<number, number>): number[] {
  const children = [...parents].filter(([, parent]) => parent === pid).map(([child]) => child)
  return children.flatMap((child) => [child, ...descendantsOf(child, parents)])
}

async function pssOf(pids: readonly number[]): Promise<number> {
  const sizes = await Promise.all(
    pids.map(async (pid) => {
      const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
      return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0)
    }),
  )
  return sizes.reduce((sum, size) => sum + size, 0) / 1024
}
