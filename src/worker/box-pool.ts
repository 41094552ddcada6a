import type { BoxSpec, SandboxDriver } from '../ports/sandbox.ts'
import { ExecutorClient, type ExecutorClientOptions } from './executor-client.ts'

/** An executor that does not say `ready` in this time is given up. */
const readyMs = 30_000

export interface BoxPoolOptions extends ExecutorClientOptions {
  readonly driver: SandboxDriver
  readonly specFor: (workspaceId: string) => BoxSpec
  /** A box without calls is stopped after this long. */
  readonly idleTimeoutMs: number
  /** Boxes alive at once. */
  readonly maxBoxes: number
  /** Told of every start that was tried. */
  readonly onStart?: (start: BoxStart) => void
}

/** How starting a box went, in milliseconds. */
export interface BoxStart {
  readonly workspaceId: string
  readonly ok: boolean
  readonly ms: number
}

/** The use of a box for one call; dispose it when the call has ended. */
export interface BoxLease extends Disposable {
  readonly client: ExecutorClient
  /** Keeps the box from being stopped for idleness: something goes on in it after the call. */
  keepWarm(): void
}

interface Slot {
  readonly starting: Promise<ExecutorClient>
  uses: number
  isKept: boolean
  /** To be stopped as soon as no call uses it. */
  isRetired: boolean
  usedAt: number
  idle: NodeJS.Timeout | undefined
}

/** BOX-02: one warm box a workspace, started at its first call, replaced when it died, stopped when idle. */
export class BoxPool implements AsyncDisposable {
  readonly #options: BoxPoolOptions
  readonly #slots = new Map<string, Slot>()
  /** Boxes on their way out still count. */
  readonly #closing = new Set<Promise<void>>()
  #wake = Promise.withResolvers<void>()
  #isClosed = false
  #uses = 0

  constructor(options: BoxPoolOptions) {
    this.#options = options
  }

  /** Boxes alive or starting. */
  get size(): number {
    return this.#slots.size + this.#closing.size
  }

  /** The workspace's box, started when there is none. Waits while all places are in use; rejects when aborted. */
  async lease(workspaceId: string, signal: AbortSignal): Promise<BoxLease> {
    const slot = await this.#useSlot(workspaceId, signal)
    const release = (): void => this.#release(workspaceId, slot)
    try {
      const client = await abortable(slot.starting, signal)
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

  /** Stops the workspace's box with what was left running in it, as soon as the calls in it have ended. */
  retire(workspaceId: string): void {
    const slot = this.#slots.get(workspaceId)
    if (slot === undefined) return
    slot.isRetired = true
    if (slot.uses === 0) this.#stop(workspaceId, slot)
  }

  /** Stops all boxes and what runs in them. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#announce()
    for (const [workspaceId, slot] of this.#slots) this.#stop(workspaceId, slot)
    await Promise.all(this.#closing)
  }

  // Counts the use before anybody else can run, so that the slot is not stopped in between.
  async #useSlot(workspaceId: string, signal: AbortSignal): Promise<Slot> {
    for (;;) {
      signal.throwIfAborted()
      if (this.#isClosed) throw new Error('the pool of boxes is closed')
      const isRoom = this.size < this.#options.maxBoxes
      const slot = this.#slots.get(workspaceId) ?? (isRoom ? this.#open(workspaceId) : undefined)
      if (slot !== undefined) return this.#use(slot)
      this.#evictOne()
      await abortable(this.#wake.promise, signal)
    }
  }

  #use(slot: Slot): Slot {
    this.#uses += 1
    slot.uses += 1
    slot.usedAt = this.#uses
    clearTimeout(slot.idle)
    return slot
  }

  #open(workspaceId: string): Slot {
    const slot: Slot = {
      starting: this.#start(workspaceId),
      uses: 0,
      isKept: false,
      isRetired: false,
      usedAt: 0,
      idle: undefined,
    }
    this.#slots.set(workspaceId, slot)
    const forget = (): void => this.#forget(workspaceId, slot)
    void slot.starting.then((client) => client.exited.then(forget), forget)
    return slot
  }

  async #start(workspaceId: string): Promise<ExecutorClient> {
    const startedAt = performance.now()
    const tell = (ok: boolean): void => {
      this.#options.onStart?.({ workspaceId, ok, ms: performance.now() - startedAt })
    }
    try {
      const client = await this.#startBox(workspaceId)
      tell(true)
      return client
    } catch (error) {
      tell(false)
      throw error
    }
  }

  async #startBox(workspaceId: string): Promise<ExecutorClient> {
    const box = await this.#options.driver.start(this.#options.specFor(workspaceId))
    const client = new ExecutorClient(box, this.#options)
    if (await client.isReady(readyMs)) return client
    client.kill()
    const { code, signal } = await box.exited
    throw new Error(`the executor did not start: ${signal ?? `exit code ${code}`}`)
  }

  #release(workspaceId: string, slot: Slot): void {
    slot.uses -= 1
    if (slot.uses > 0 || this.#slots.get(workspaceId) !== slot) return
    this.#announce()
    if (slot.isRetired) this.#stop(workspaceId, slot)
    if (slot.isRetired || slot.isKept) return
    slot.idle = setTimeout(() => this.#stop(workspaceId, slot), this.#options.idleTimeoutMs).unref()
  }

  #forget(workspaceId: string, slot: Slot): void {
    clearTimeout(slot.idle)
    if (this.#slots.get(workspaceId) === slot) this.#slots.delete(workspaceId)
    this.#announce()
  }

  #stop(workspaceId: string, slot: Slot): void {
    this.#forget(workspaceId, slot)
    const closing = slot.starting.then(
      (client) => client.close(),
      () => undefined,
    )
    this.#closing.add(closing)
    void closing.finally(() => {
      this.#closing.delete(closing)
      this.#announce()
    })
  }

  /** Makes room: the box that was not used for longest, one that is kept warm only when there is no other. */
  #evictOne(): void {
    const free = [...this.#slots].filter(([, slot]) => slot.uses === 0)
    const [oldest] = free.toSorted(
      ([, a], [, b]) => Number(a.isKept) - Number(b.isKept) || a.usedAt - b.usedAt,
    )
    if (oldest !== undefined && this.#closing.size === 0) this.#stop(...oldest)
  }

  #announce(): void {
    this.#wake.resolve()
    this.#wake = Promise.withResolvers()
  }
}

function once(run: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) run()
    isDone = true
  }
}

function abortable<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
