import {
  chmodSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs'
import type { ExecutorOutcome } from '../../domain/tool/executor-protocol.ts'
import type { TreeChanges, TreeEntry } from '../../domain/workspace-tree.ts'
import { flagArgument } from '../arguments.ts'
import type { Call } from '../call.ts'
import { errnoOf, failByErrno } from '../files/errno.ts'
import { fail } from '../refusal.ts'
import { beneath, type Folder, inChild, inWorkspace, namesIn, shown } from './beneath.ts'
import { listArgument, numberIn, textIn } from './put-pieces.ts'
import { entryAt, type Masked, maskedIn, namesOf, Pace } from './survey.ts'

const mostNamed = 20
/** Permissions needed to create files in a folder. */
const ownerAll = 0o700

/**
 * BASH-07: restores the workspace to `entries`, except contents of files, which the answer requests. `dryRun` only
 * reports; `finish` restores permissions of folders, after which they may not be writable.
 */
export async function restoreTree({ request, signal }: Call): Promise<ExecutorOutcome> {
  const { workspace } = request.rules
  const restoring = new Restoring(toWantedTree(listArgument(request, 'entries')), {
    masked: await maskedIn(request.rules),
    signal,
    isDry: flagArgument(request, 'dryRun') === true,
    isLast: flagArgument(request, 'finish') === true,
  })
  // A command may have removed the workspace itself if it is not a mount.
  if (flagArgument(request, 'dryRun') !== true) {
    mkdirSync(workspace, { recursive: true })
    openTop(workspace)
  }
  await inWorkspace(workspace, (folder) => restoring.folder(folder, ''))
  return { kind: 'ok', output: JSON.stringify(restoring.changes()) }
}

interface Manner {
  readonly masked: Masked
  readonly signal: AbortSignal
  readonly isDry: boolean
  readonly isLast: boolean
}

class Restoring {
  readonly #wanted: WantedTree
  readonly #manner: Manner
  readonly #pace: Pace
  readonly #files: string[] = []
  readonly #named: string[] = []
  #counts = { removed: 0, made: 0, modes: 0, lost: 0 }

  constructor(wanted: WantedTree, manner: Manner) {
    this.#wanted = wanted
    this.#manner = manner
    this.#pace = new Pace(manner.signal)
  }

  changes(): TreeChanges {
    return { ...this.#counts, wanted: this.#files, named: this.#named }
  }

  /** Restores a folder; `path` is used to look up its wanted entries. */
  async folder(folder: Folder, path: string): Promise<void> {
    const wanted = this.#wanted.get(path) ?? new Map<string, TreeEntry>()
    const prefix = path === '' ? '' : `${path}/`
    for (const name of namesOf(folder)) {
      await this.#pace.step()
      if (!wanted.has(name)) await this.#remove(folder, name, `${prefix}${name}`, true)
    }
    for (const [name, entry] of wanted) {
      await this.#pace.step()
      await this.#restore(folder, name, entry).catch((error: unknown) =>
        failByErrno(error, shown(entry.path)),
      )
    }
  }

  async #restore(folder: Folder, name: string, entry: TreeEntry): Promise<void> {
    if (this.#manner.masked.has(entry.path)) return
    const found = entryAt(folder, name, entry.path)
    if (entry.kind === 'directory') return this.#restoreFolder(folder, name, entry, found)
    if (isSame(entry, found)) return
    if (found !== undefined && (entry.kind !== 'file' || found.kind === 'directory')) {
      await this.#remove(folder, name, entry.path, false)
    }
    if (entry.kind === 'file') this.#files.push(entry.path)
    else if (entry.kind === 'other') this.#counts.lost += 1
    else {
      this.#counts.made += 1
      if (!this.#manner.isDry) {
        symlinkSync(Buffer.from(entry.target, 'latin1'), beneath(folder, name))
      }
    }
    this.#name(entry.path)
  }

  async #restoreFolder(
    folder: Folder,
    name: string,
    entry: TreeEntry & { readonly kind: 'directory' },
    found: TreeEntry | undefined,
  ): Promise<void> {
    if (found?.kind !== 'directory') {
      if (found !== undefined) await this.#remove(folder, name, entry.path, false)
      this.#counts.made += 1
      this.#name(entry.path)
      if (this.#manner.isDry) return this.#missing(entry.path)
      mkdirSync(beneath(folder, name), { mode: ownerAll })
    } else if (found.mode !== entry.mode) {
      this.#counts.modes += 1
      this.#name(entry.path)
    }
    if (!this.#manner.isDry) open(folder, name, found)
    await inChild(folder, name, async (child) => {
      await this.folder(child, entry.path)
      if (this.#manner.isLast) setMode(child, entry.mode)
    })
  }

  /** Lists everything below a missing folder. */
  #missing(path: string): void {
    for (const entry of this.#wanted.get(path)?.values() ?? []) {
      if (entry.kind === 'file') this.#files.push(entry.path)
      else if (entry.kind === 'directory') this.#missing(entry.path)
    }
  }

  async #remove(folder: Folder, name: string, path: string, isTold: boolean): Promise<void> {
    const { masked, isDry } = this.#manner
    if (masked.has(path)) return
    if (isTold) {
      this.#counts.removed += 1
      this.#name(path)
    }
    if (isDry) return
    const found = entryAt(folder, name, path)
    if (found?.kind !== 'directory') return unlinkIfThere(beneath(folder, name))
    open(folder, name, found)
    await inChild(folder, name, async (child) => {
      for (const inner of namesOf(child)) {
        await this.#pace.step()
        await this.#remove(child, inner, `${path}/${inner}`, false)
      }
    })
    if (!masked.holds(path)) rmdirSync(beneath(folder, name))
  }

  #name(path: string): void {
    if (this.#named.length < mostNamed) this.#named.push(path)
  }
}

/** Opens the workspace itself; snapshots do not record its permissions. */
function openTop(workspace: string): void {
  const found = lstatSync(workspace)
  if (found.isDirectory()) giveOwnerAll(workspace, found.mode & 0o3777)
}

/** Opens a folder that a command closed to its own owner. */
function open(folder: Folder, name: string, found: TreeEntry | undefined): void {
  if (found?.kind === 'directory') giveOwnerAll(beneath(folder, name), found.mode)
}

function giveOwnerAll(path: string | Buffer, mode: number): void {
  if ((mode & ownerAll) !== ownerAll) chmodSync(path, mode | ownerAll)
}

/** Sets the permissions; a box may refuse the setgid bit of folders. */
function setMode({ descriptor }: Folder, mode: number): void {
  if ((fstatSync(descriptor).mode & 0o3777) === mode) return
  try {
    fchmodSync(descriptor, mode)
  } catch (error) {
    if (errnoOf(error) !== 'EPERM') throw error
    fchmodSync(descriptor, mode & 0o1777)
  }
}

function unlinkIfThere(path: Buffer): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
  }
}

function isSame(entry: TreeEntry, found: TreeEntry | undefined): boolean {
  if (found === undefined) return false
  if (entry.kind === 'file') return found.kind === 'file' && found.stamp === entry.stamp
  if (entry.kind === 'link') return found.kind === 'link' && found.target === entry.target
  return entry.kind === found.kind
}

/** Wanted entries by name, by the path of their folder (`''`: the workspace). */
type WantedTree = ReadonlyMap<string, ReadonlyMap<string, TreeEntry>>

/** Builds the tree. Ends the call if an entry leads outside or its parent is not a folder. */
function toWantedTree(list: readonly Readonly<Record<string, unknown>>[]): WantedTree {
  const folders = new Map<string, Map<string, TreeEntry>>([['', new Map()]])
  for (const fields of list) {
    const entry = toEntry(fields)
    const names = namesIn(entry.path)
    const name = names.pop() ?? ''
    const folder = folders.get(names.join('/'))
    if (folder === undefined)
      fail('invalid_parameters', `${shown(entry.path)}: its folder is missing`)
    folder.set(name, entry)
    if (entry.kind === 'directory') folders.set(entry.path, new Map())
  }
  return folders
}

function toEntry(fields: Readonly<Record<string, unknown>>): TreeEntry {
  const path = textIn(fields, 'path')
  const kind = textIn(fields, 'kind')
  if (kind === 'directory') return { kind, path, mode: numberIn(fields, 'mode') }
  if (kind === 'link') return { kind, path, target: textIn(fields, 'target') }
  if (kind === 'other') return { kind, path }
  if (kind !== 'file') fail('invalid_parameters', 'kind: not known')
  return {
    kind,
    path,
    mode: numberIn(fields, 'mode'),
    size: numberIn(fields, 'size'),
    mtimeUs: numberIn(fields, 'mtimeUs'),
    stamp: textIn(fields, 'stamp'),
  }
}
