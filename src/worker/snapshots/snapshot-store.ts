import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import PQueue from 'p-queue'
import { newId } from '../../util/ids.ts'
import { readIfPresent, replaceFile } from '../durable-file.ts'
import { takeSlot } from '../worker-tool.ts'
import { contentName, filesOf, formatSnapshot, parseSnapshot, type Snapshot } from './snapshot.ts'

/** Admits one holder at a time for each key, in order of arrival. */
export class OneAtATime {
  readonly #queues = new Map<string, PQueue>()

  /** Waits for the turn; dispose what comes back to end it. Rejects when aborted while it waits. */
  async enter(key: string, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    return takeSlot(this.#queues.get(key) ?? this.#add(key), signal)
  }

  #add(key: string): PQueue {
    const queue = new PQueue({ concurrency: 1 })
    this.#queues.set(key, queue)
    queue.addEventListener('idle', () => this.#queues.delete(key), { once: true })
    return queue
  }
}

/**
 * `last`: before the last call that changed something; `next`: before a call in progress or without a known end; `redo`:
 * before an `/undo` in progress or without a known end.
 */
type SnapshotName = 'last' | 'next' | 'redo'

/** Snapshots of one workspace, in a directory that no box can see. Contents are immutable and shared by snapshots. */
export class SnapshotStore {
  readonly #directory: string
  readonly #turns: OneAtATime

  constructor(directory: string, turns = new OneAtATime()) {
    this.#directory = directory
    this.#turns = turns
  }

  /** Waits until no other call takes or restores a snapshot of this workspace; rejects when aborted. */
  enter(signal: AbortSignal): Promise<Disposable> {
    return this.#turns.enter(this.#directory, signal)
  }

  async prepare(): Promise<void> {
    await mkdir(join(this.#directory, 'contents'), { recursive: true, mode: 0o700 })
  }

  /** Reads a snapshot; undefined if missing or invalid. */
  async read(name: SnapshotName): Promise<Snapshot | undefined> {
    const text = await readIfPresent(this.#manifest(name))
    return text === undefined ? undefined : parseSnapshot(text)
  }

  /** False if contents are missing or truncated, as after a power failure. */
  async isWhole(snapshot: Snapshot): Promise<boolean> {
    for (const { content, size } of filesOf(snapshot).values()) {
      if ((await this.#sizeOf(content)) !== size) return false
    }
    return true
  }

  async write(name: SnapshotName, snapshot: Snapshot): Promise<void> {
    await replaceFile(this.#manifest(name), formatSnapshot(snapshot))
  }

  /** Makes a snapshot the last one. */
  async promote(name: 'next' | 'redo'): Promise<void> {
    await rename(this.#manifest(name), this.#manifest('last'))
  }

  async drop(name: SnapshotName): Promise<void> {
    await rm(this.#manifest(name), { force: true })
  }

  /** Deletes all snapshots, before calls that run without one. */
  async clear(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true })
  }

  /** Deletes contents that no snapshot refers to, such as those of a failed snapshot. */
  async tidy(): Promise<void> {
    const names: readonly SnapshotName[] = ['last', 'next', 'redo']
    await this.collect(...(await Promise.all(names.map((name) => this.read(name)))))
  }

  /** Deletes contents that the remaining snapshots do not refer to. */
  async collect(...left: readonly (Snapshot | undefined)[]): Promise<void> {
    const files = left.flatMap((snapshot) => [...filesOf(snapshot).values()])
    const used = new Set(files.map(({ content }) => content))
    const there = await readdir(join(this.#directory, 'contents'))
    const unused = there.filter((name) => contentName.test(name) && !used.has(name))
    await Promise.all(unused.map((name) => rm(this.#content(name), { force: true })))
  }

  /** Creates a new content for sequential writing. */
  async createContent(): Promise<ContentWriter> {
    const name = newId()
    const file = await open(this.#content(name), 'wx', 0o600)
    return {
      name,
      write: async (bytes) => void (await file.writeFile(bytes)),
      [Symbol.asyncDispose]: () => file.close(),
    }
  }

  /** Reads at most `most` bytes of a content from `offset`. */
  async readContent(name: string, offset: number, most: number): Promise<Buffer> {
    await using file = await open(this.#content(name), 'r')
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(most), 0, most, offset)
    return buffer.subarray(0, bytesRead)
  }

  #manifest(name: SnapshotName): string {
    return join(this.#directory, `${name}.json`)
  }

  #content(name: string): string {
    return join(this.#directory, 'contents', name)
  }

  #sizeOf(name: string): Promise<number | undefined> {
    return stat(this.#content(name)).then(
      ({ size }) => size,
      () => undefined,
    )
  }
}

export interface ContentWriter extends AsyncDisposable {
  readonly name: string
  write(bytes: Buffer): Promise<void>
}
