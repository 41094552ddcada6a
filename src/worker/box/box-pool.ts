import type { BoxSpec, SandboxDriver } from '../../ports/sandbox.ts'
import { orAborted, withinMs } from '../../util/abort.ts'
import type { ExecutorClient, ExecutorClientOptions } from './executor-client.ts'
import { startBox } from './start-box.ts'

/** Time in which disposing waits for boxes that are still starting; the next start removes what remains of them. */
const lateMs = 3_000

/** Purpose of a workspace's box: programs, if they have a box of their own, or everything else (BASH-10). */
export type BoxUse = 'files' | 'commands'

export interface BoxPoolOptions extends ExecutorClientOptions {
  readonly driver: SandboxDriver
  readonly specFor: (workspaceId: string, use: BoxUse) => BoxSpec
  /** True if commands have a separate box; otherwise one box serves all calls. */
  readonly hasCommandBox?: boolean
  /** Milliseconds until a box that is not ready is killed and the waiting call fails; 60 s by default. */
  readonly startTimeoutMs?: number
  /** Idle time in milliseconds after which a box is stopped. */
  readonly idleTimeoutMs: number
  /** Maximum number of live boxes. */
  readonly maxBoxes: number
  /** Called after every attempt to start a box. */
  readonly onStart?: (start: BoxStart) => void
}

/** Result of starting a box; `ms` is its duration. */
export interface BoxStart {
  readonly workspaceId: string
  readonly ok: boolean
  readonly ms: number
}

/** Use of a box for one call; dispose it when the call has ended. */
export interface BoxLease extends Disposable {
  readonly client: ExecutorClient
  /** Prevents the box from being stopped as idle, because a process keeps running in it after the call. */
  keepWarm(): void
}

interface Slot {
  readonly key: string
  readonly workspaceId: string
  readonly starting: Promise<ExecutorClient>
  uses: number
  isKept: boolean
  /** True if the box is to be stopped once no call uses it. */
  isRetired: boolean
  usedAt: number
  idle: NodeJS.Timeout | undefined
}

/**
 * BOX-02: pool with one warm box for each workspace, or two by purpose, started at the first call, replaced when dead and
 * stopped when idle.
 */
export class BoxPool implements AsyncDisposable {
  readonly #options: BoxPoolOptions
  readonly #isApart: boolean
  readonly #slots = new Map<string, Slot>()
  /** Boxes that are being stopped; they still count. */
  readonly #closing = new Set<Promise<void>>()
  /** Boxes whose start was given up; they also count, possibly forever. */
  readonly #late = new Set<Promise<void>>()
  #wake = Promise.withResolvers<void>()
  #isClosed = false
  #uses = 0

  constructor(options: BoxPoolOptions) {
    this.#options = options
    this.#isApart = options.hasCommandBox === true
  }

  /** Number of boxes alive or starting. */
  get size(): number {
    return this.#slots.size + this.#closing.size + this.#late.size
  }

  /** Leases the workspace's box, starting one if needed. Waits while all slots are in use; rejects when aborted. */
  async lease(workspaceId: string, signal: AbortSignal, use: BoxUse = 'files'): Promise<BoxLease> {
    const slot = await this.#useSlot(workspaceId, this.#isApart ? use : 'files', signal)
    const release = (): void => this.#release(slot)
    try {
      const client = await orAborted(slot.starting, signal)
      return {
        client,
        keepWarm: () => {
          slot.isKept = true
        },
        [Symbol.dispose]: once(release),
      }
    } catch (error) {
      release()
      throw error
    }
  }

  /** Stops the workspace's boxes and everything running in them, each once its calls have ended. */
  retire(workspaceId: string): void {
    for (const slot of this.#slots.values()) {
      if (slot.workspaceId !== workspaceId) continue
      slot.isRetired = true
      if (slot.uses === 0) this.#stop(slot)
    }
  }

  /** Stops all boxes. Waits only briefly for boxes whose start was given up. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#announce()
    for (const slot of this.#slots.values()) this.#stop(slot)
    await Promise.all(this.#closing)
    await withinMs(Promise.all(this.#late), lateMs, undefined)
  }

  // Counts the use synchronously, so that the slot cannot be stopped in between.
  async #useSlot(workspaceId: string, use: BoxUse, signal: AbortSignal): Promise<Slot> {
    for (;;) {
      signal.throwIfAborted()
      if (this.#isClosed) throw new Error('the pool of boxes is closed')
      const isRoom = this.size < this.#options.maxBoxes
      const there = this.#slots.get(keyOf(workspaceId, use))
      const slot = there ?? (isRoom ? this.#open(workspaceId, use) : undefined)
      if (slot !== undefined) return this.#use(slot)
      this.#evictOne()
      await orAborted(this.#wake.promise, signal)
    }
  }

  #use(slot: Slot): Slot {
    this.#uses += 1
    slot.uses += 1
    slot.usedAt = this.#uses
    clearTimeout(slot.idle)
    return slot
  }

  #open(workspaceId: string, use: BoxUse): Slot {
    const key = keyOf(workspaceId, use)
    const starting = this.#start(workspaceId, use)
    const times = { uses: 0, isKept: false, isRetired: false, usedAt: 0, idle: undefined }
    const slot: Slot = { key, workspaceId, starting, ...times }
    this.#slots.set(key, slot)
    const forget = (): void => this.#forget(slot)
    void starting.then((client) => client.exited.then(forget), forget)
    return slot
  }

  async #start(workspaceId: string, use: BoxUse): Promise<ExecutorClient> {
    const startedAt = performance.now()
    const tell = (ok: boolean): void => {
      this.#options.onStart?.({ workspaceId, ok, ms: performance.now() - startedAt })
    }
    try {
      const late = (gone: Promise<unknown>): void => this.#closeWith(gone, this.#late)
      const client = await startBox(this.#options, this.#options.specFor(workspaceId, use), late)
      tell(true)
      return client
    } catch (error) {
      tell(false)
      throw error
    }
  }

  #release(slot: Slot): void {
    slot.uses -= 1
    if (slot.uses > 0 || this.#slots.get(slot.key) !== slot) return
    this.#announce()
    if (slot.isRetired) this.#stop(slot)
    if (slot.isRetired || slot.isKept) return
    slot.idle = setTimeout(() => this.#stop(slot), this.#options.idleTimeoutMs).unref()
  }

  #forget(slot: Slot): void {
    clearTimeout(slot.idle)
    if (this.#slots.get(slot.key) === slot) this.#slots.delete(slot.key)
    this.#announce()
  }

  #stop(slot: Slot): void {
    this.#forget(slot)
    this.#closeWith(
      slot.starting.then(
        (client) => client.close(),
        () => undefined,
      ),
    )
  }

  #closeWith(gone: Promise<unknown>, among = this.#closing): void {
    const closing = gone.then(
      () => undefined,
      () => undefined,
    )
    among.add(closing)
    void closing.finally(() => {
      among.delete(closing)
      this.#announce()
    })
  }

  /** Stops the least recently used free box; one that is kept warm only if there is no other. */
  #evictOne(): void {
    const free = [...this.#slots.values()].filter((slot) => slot.uses === 0)
    const [oldest] = free.toSorted(
      (a, b) => Number(a.isKept) - Number(b.isKept) || a.usedAt - b.usedAt,
    )
    if (oldest !== undefined && this.#closing.size === 0) this.#stop(oldest)
  }

  #announce(): void {
    this.#wake.resolve()
    this.#wake = Promise.withResolvers()
  }
}

function keyOf(workspaceId: string, use: BoxUse): string {
  return `${use}/${workspaceId}`
}

function once(run: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) run()
    isDone = true
  }
}
