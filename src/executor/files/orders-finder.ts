import type { Dirent } from 'node:fs'
import { lstat, readdir, readlink, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { isExecutableConfig } from '../../shared/executable-config.ts'
import { isReachable } from '../bash/refuse-command.ts'
import type { Call } from '../call.ts'
import { Refusal } from '../refusal.ts'
import { canonicalPath, DeadLink, isWithin } from './canonical-path.ts'
import { errnoOf } from './errno.ts'
import type { FileAccess } from './file-access.ts'

/** Maximum number of entries looked at for one call, about a second's work. */
const maxEntries = 20_000

/** With more files than this, one question stands for all of them. */
const maxFound = 12

/** Stores of installed packages, to which the links in `node_modules` lead; they hold ordinary files. */
const packageStore = /^.*(?:^|\/)node_modules\/\.(?:pnpm|store|bun)\//

/** A name that stands for what a directory holds. */
const anyEntry = 'x'

interface Manner {
  /** Whether an entry is copied. */
  readonly isTaken: (path: string) => boolean
  /** Whether a later write may go through a copied link without being looked at. */
  readonly looksBehindLinks: boolean
}

const ofCommands: Manner = { isTaken: () => true, looksBehindLinks: true }

/**
 * SHELL-11, THREAT-1: finds the files of orders that a call would write without naming them: behind links, and in directories that
 * it copies. Nothing is opened.
 */
export class OrdersFinder {
  readonly #call: Call
  readonly #access: FileAccess
  readonly #roots: readonly string[]
  readonly #found = new Set<string>()
  readonly #links = new Map<string, readonly string[]>()
  #left = maxEntries

  constructor(call: Call, access: FileAccess) {
    this.#call = call
    this.#access = access
    const allowed = call.request.rules.allowed.map((path) => access.fromJudged(path))
    this.#roots = [access.workspace, ...allowed].sort((a, b) => b.length - a.length)
  }

  /** Looks at the places to which a path leads, and longer names that a program may make of it (`split x a/x`). */
  async addWritten(path: string): Promise<void> {
    const own = this.#access.fromJudged(path)
    await this.#addPlace(own)
    if (own === this.#access.workspace) return
    for (const link of await this.#linksIn(dirname(own)))
      if (link !== own && link.startsWith(own)) await this.#addPlace(link)
  }

  async #addPlace(own: string): Promise<void> {
    const canonical = await placeOf(own)
    if (canonical === undefined) return
    const isFolder = canonical !== own && (await kindOf(canonical)) === 'folder'
    if (this.isOrders(canonical, isFolder) || this.#isOutside(canonical)) this.#add(canonical)
  }

  /** Looks at the copy of a file or directory, at `into` or in it. */
  async addCopied(source: string, into: string): Promise<void> {
    const from = this.#access.fromJudged(source)
    const named = this.#access.fromJudged(into)
    const to = (await placeOf(named)) ?? named
    // What the gate evaluated by its name is no finding.
    if (this.isOrders(to, true)) return to === named ? undefined : this.#add(to)
    const inside = join(to, basename(from))
    const targets = (await kindOf(to)) === 'folder' ? [inside, to] : [to, inside]
    await this.#addLink(from, targets)
    const isFolder = (await kindOf(from)) === 'folder'
    const orders = targets.find(
      (target) => this.isOrders(target, isFolder) || (!isFolder && isHead(target)),
    )
    if (orders !== undefined) this.#add(orders)
    else if (isFolder) await this.addBelow(from, targets)
    else await this.addWritten(inside)
  }

  /** Looks at the copies of all entries below a directory that are taken. Paths are canonical. */
  async addBelow(
    directory: string,
    targets: readonly string[],
    manner: Manner = ofCommands,
  ): Promise<void> {
    this.#call.signal.throwIfAborted()
    const entries = await entriesOf(directory)
    this.#left -= entries?.length ?? 0
    if (entries === undefined || this.#left < 0) return this.#add(targets[0] ?? directory)
    const links = new Set((await Promise.all(targets.map((at) => this.#linksIn(at)))).flat())
    for (const entry of entries) {
      const path = join(directory, entry.name)
      if (!manner.isTaken(path)) continue
      const copies = targets.map((target) => join(target, entry.name))
      const isFolder = await isDirectory(entry, directory)
      const orders = copies.find((copy) => this.isOrders(copy, isFolder))
      if (orders !== undefined || (!isFolder && isHead(path)))
        this.#add(orders ?? copies[0] ?? directory)
      else {
        for (const copy of copies) if (links.has(copy)) await this.#addPlace(copy)
        if (manner.looksBehindLinks && entry.isSymbolicLink()) await this.#addLink(path, copies)
        if (isFolder && entry.name !== 'node_modules') await this.addBelow(path, copies, manner)
      }
    }
  }

  /** Ends the call, nothing done, if the gate did not evaluate all that was found; `named`: the call's own paths. */
  assertJudged(named: readonly string[] = []): void {
    const { judged, rules } = this.#call.request
    const found = this.#found.size > maxFound ? [rules.workspace] : [...this.#found].sort()
    if (found.every((path) => judged.includes(path))) return
    const own = named.map((path) => this.#access.toNamed(path))
    throw new Refusal({ kind: 'elsewhere', canonical: [...own, ...found] })
  }

  /** Looks at where a link leads, and where its copies would: a later command may write through them. */
  async #addLink(path: string, copies: readonly string[]): Promise<void> {
    const text = await readlink(path).catch(() => undefined)
    if (text === undefined) return
    await this.#addPlace(path)
    for (const copy of copies) {
      const place = await placeOf(resolve(dirname(copy), text))
      if (place !== undefined && (await kindOf(dirname(place))) === 'folder')
        await this.#addPlace(place)
    }
  }

  /** Paths of the links in a directory: what is written under their names goes elsewhere. */
  async #linksIn(directory: string): Promise<readonly string[]> {
    const known = this.#links.get(directory)
    if (known !== undefined) return known
    const entries = (await entriesOf(directory)) ?? []
    const links = entries.filter((entry) => entry.isSymbolicLink())
    const found = links.map(({ name }) => join(directory, name))
    this.#links.set(directory, found)
    return found
  }

  #add(canonical: string): void {
    this.#found.add(this.#access.toNamed(canonical))
  }

  /** Whether a canonical path is such a file, or a directory whose files are. */
  isOrders(canonical: string, isFolder = false): boolean {
    const root = this.#roots.find((one) => isWithin(canonical, one))
    if (root === undefined) return false
    const below = relative(root, canonical).replace(packageStore, '')
    return isExecutableConfig(below) || (isFolder && isExecutableConfig(join(below, anyEntry)))
  }

  /** Whether only the words of a command keep it from a place; in other boxes there is nothing to write outside. */
  #isOutside(canonical: string): boolean {
    const { request, surroundings } = this.#call
    if (!surroundings.refuses.has('outside')) return false
    return !isReachable(this.#access.toNamed(canonical), request.rules)
  }
}

/** Git takes a directory that holds a file of this name for a repository. */
const isHead = (path: string) => basename(path).toLowerCase() === 'head'

/** Where a path leads; undefined if it cannot be opened, so that nothing is written there. */
async function placeOf(path: string): Promise<string | undefined> {
  try {
    return await canonicalPath(path)
  } catch (error) {
    if (error instanceof DeadLink) return error.target
    if (error instanceof Refusal) return undefined
    throw error
  }
}

async function kindOf(path: string): Promise<'folder' | 'file' | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found && (found.isDirectory() ? 'folder' : 'file')
}

/** The entries of a directory, none if it is missing; undefined if it cannot be read. */
async function entriesOf(directory: string): Promise<readonly Dirent[] | undefined> {
  try {
    return await readdir(directory, { withFileTypes: true })
  } catch (error) {
    return errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR' ? [] : undefined
  }
}

/** Some file systems do not tell the kind of an entry with its name. */
async function isDirectory(entry: Dirent, directory: string): Promise<boolean> {
  if (entry.isDirectory()) return true
  if (entry.isFile() || entry.isSymbolicLink()) return false
  const found = await lstat(join(directory, entry.name)).catch(() => undefined)
  return found?.isDirectory() === true
}
