import { type BigIntStats, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { posix } from 'node:path'
import { setImmediate as otherWork } from 'node:timers/promises'
import type { ExecutorOutcome } from '../../domain/tool/executor-protocol.ts'
import type { FileRules } from '../../domain/tool/file-rules.ts'
import type { FileFacts, Tree, TreeEntry } from '../../domain/workspace-tree.ts'
import { numberArgument } from '../arguments.ts'
import type { Call } from '../call.ts'
import { canonicalPath } from '../files/canonical-path.ts'
import { errnoOf, failByErrno } from '../files/errno.ts'
import { fail, Refusal } from '../refusal.ts'
import {
  beneath,
  bytewise,
  type Folder,
  folderPath,
  inChild,
  inWorkspace,
  shown,
} from './beneath.ts'

/** Folder with the output of background commands, which keeps being written. */
const jobs = '.jobs'

/** Number of steps after which other work gets its turn. */
const slice = 500

/** Lets other calls run between many small steps, and ends when its own call is stopped. */
export class Pace {
  readonly #signal: AbortSignal
  #steps = 0

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** Call once a step. Rejects if the call was stopped. */
  async step(): Promise<void> {
    this.#steps += 1
    if (this.#steps % slice !== 0) return
    await otherWork()
    this.#signal.throwIfAborted()
  }
}

/** Maximum depth of folders; deeper ones would need more open files than a process has. */
const deepest = 200

/** BASH-07: lists the workspace. Ends with an error above `maxEntries` or `maxBytes`. */
export async function surveyWorkspace(call: Call): Promise<ExecutorOutcome> {
  const { request, signal } = call
  const survey = new Survey(await maskedIn(request.rules), signal, {
    entries: numberArgument(request, 'maxEntries') ?? 0,
    bytes: numberArgument(request, 'maxBytes') ?? 0,
  })
  await inWorkspace(request.rules.workspace, (folder) => survey.visit(folder, 0, ''))
  return { kind: 'ok', output: JSON.stringify(survey.tree()) }
}

interface Bounds {
  readonly entries: number
  readonly bytes: number
}

class Survey {
  readonly #entries: TreeEntry[] = []
  #bytes = 0
  readonly #masked: Masked
  readonly #pace: Pace
  readonly #most: Bounds

  constructor(masked: Masked, signal: AbortSignal, most: Bounds) {
    this.#masked = masked
    this.#pace = new Pace(signal)
    this.#most = most
  }

  tree(): Tree {
    return { entries: this.#entries, bytes: this.#bytes }
  }

  async visit(folder: Folder, depth: number, prefix: string): Promise<void> {
    if (depth > deepest) fail('permanent_failure', `it has more than ${deepest} levels`)
    for (const name of namesOf(folder)) {
      const path = `${prefix}${name}`
      if (this.#masked.has(path)) continue
      const entry = entryAt(folder, name, path)
      if (entry === undefined) continue
      await this.#take(entry)
      if (entry.kind !== 'directory') continue
      const visit = (child: Folder) => this.visit(child, depth + 1, `${path}/`)
      await inChild(folder, name, visit).catch((error: unknown) => failByErrno(error, shown(path)))
    }
  }

  async #take(entry: TreeEntry): Promise<void> {
    this.#entries.push(entry)
    if (entry.kind === 'file') this.#bytes += entry.size
    if (this.#bytes > this.#most.bytes)
      fail('permanent_failure', `it holds more than ${this.#most.bytes} bytes`)
    const { entries } = this.#most
    if (this.#entries.length > entries)
      fail('permanent_failure', `it holds more than ${entries} files`)
    await this.#pace.step()
  }
}

/** GATE-12: paths that snapshots leave unchanged: masked ones, and logs of background commands. */
export interface Masked {
  /** True if the path itself is masked. */
  has(path: string): boolean
  /** True if the path or something below it is masked. */
  holds(path: string): boolean
}

/** Returns the masked paths, by the given and the canonical name of the workspace. */
export async function maskedIn({
  workspace,
  masked,
}: Pick<FileRules, 'workspace' | 'masked'>): Promise<Masked> {
  const top = await withoutLinks(workspace)
  const canonical = await Promise.all(masked.map(withoutLinks))
  const paths = [
    ...masked.map((path) => posix.relative(workspace, path)),
    ...canonical.map((path) => posix.relative(top, path)),
  ]
    .filter((path) => path !== '' && path !== '..' && !path.startsWith('../'))
    .map(bytewise)
  const all = [...paths, jobs]
  const own = new Set(all)
  return {
    has: (path) => own.has(path),
    holds: (path) => all.some((one) => one === path || one.startsWith(`${path}/`)),
  }
}

async function withoutLinks(path: string): Promise<string> {
  return canonicalPath(path).catch((error: unknown) => {
    if (error instanceof Refusal) return path
    throw error
  })
}

/** Returns the names in a folder in a fixed order. */
export function namesOf(folder: Folder): string[] {
  return readdirSync(folderPath(folder), { encoding: 'buffer' })
    .map((name) => name.toString('latin1'))
    .sort()
}

/** Reads an entry without following links; undefined if there is none. `path` is relative to the workspace. */
export function entryAt(folder: Folder, name: string, path: string): TreeEntry | undefined {
  const at = beneath(folder, name)
  const found = lookAt(at)
  if (found === undefined) return undefined
  if (found.isDirectory()) return { kind: 'directory', path, mode: modeOf(found) }
  if (found.isFile()) return { kind: 'file', path, ...factsOf(found) }
  if (!found.isSymbolicLink()) return { kind: 'other', path }
  return { kind: 'link', path, target: readlinkSync(at, { encoding: 'buffer' }).toString('latin1') }
}

export function factsOf(found: BigIntStats): FileFacts {
  const { ino, size, mtimeNs, ctimeNs } = found
  return {
    mode: modeOf(found),
    size: Number(size),
    mtimeUs: Number(mtimeNs / 1_000n),
    stamp: `${ino}.${size}.${mtimeNs}.${ctimeNs}`,
  }
}

function lookAt(path: Buffer): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true })
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Drops the setuid bits, which no call may leave on a file (THREAT-31). */
function modeOf(found: BigIntStats): number {
  return Number(found.mode) & (found.isDirectory() ? 0o3777 : 0o1777)
}
