import { setTimeout as later } from 'node:timers'
import { Worker } from 'node:worker_threads'
import type { ToolError } from '../../domain/tool/tool-error.ts'

/** Heap limit of a thread in MiB; a page's tree is much larger than its text. */
const heapMb = 256

/** Milliseconds for which an idle thread is kept. */
const idleMs = 60_000

const program = new URL('./page-thread.ts', import.meta.url)

/** Reads pages in separate threads, one page at a time each, so that no page blocks the worker or exhausts its memory. */
export class PageReader implements AsyncDisposable {
  #spare: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  readonly #threads = new Set<Worker>()

  /** Starts a thread in advance. */
  warm(): void {
    this.#keep(this.#take())
  }

  /** Runs a job; its thread is ended when the signal aborts. Never rejects. */
  async read(job: PageJob, signal: AbortSignal): Promise<PageAnswer> {
    if (signal.aborted) return { kind: 'error', error: stoppedError(signal) }
    const thread = this.#take()
    const answer = await ask(thread, job, signal)
    if (answer === undefined) {
      await this.#end(thread)
      return { kind: 'error', error: signal.aborted ? stoppedError(signal) : tooMuch }
    }
    this.#keep(thread)
    return answer
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#idle)
    this.#spare = undefined
    await Promise.all([...this.#threads].map((thread) => this.#end(thread)))
  }

  #take(): Worker {
    clearTimeout(this.#idle)
    const spare = this.#spare
    this.#spare = undefined
    if (spare !== undefined) return spare
    const thread = new Worker(program, {
      name: 'page',
      env: {},
      stdin: false,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    })
    // Errors reach the caller that waits for the thread; a spare thread is just dropped.
    thread.on('error', () => undefined)
    thread.on('exit', () => this.#forget(thread))
    thread.unref()
    this.#threads.add(thread)
    return thread
  }

  /** Keeps one spare thread, which is enough for sequential pages. */
  #keep(thread: Worker): void {
    if (!this.#threads.has(thread)) return
    if (this.#spare !== undefined) return void this.#end(thread)
    this.#spare = thread
    clearTimeout(this.#idle)
    this.#idle = later(() => void this.#end(thread), idleMs).unref()
  }

  async #end(thread: Worker): Promise<void> {
    this.#forget(thread)
    await thread.terminate()
  }

  #forget(thread: Worker): void {
    this.#threads.delete(thread)
    if (this.#spare === thread) this.#spare = undefined
  }
}

const tooMuch = {
  category: 'permanent_failure' as const,
  message: 'the page took more memory to read than it may',
}

/** Returns the thread's answer; undefined if it broke or the signal aborted. */
async function ask(
  thread: Worker,
  job: PageJob,
  signal: AbortSignal,
): Promise<PageAnswer | undefined> {
  const { promise, resolve } = Promise.withResolvers<PageAnswer | undefined>()
  const stop = (): void => resolve(undefined)
  thread.ref()
  thread.once('message', resolve).once('error', stop).once('exit', stop)
  signal.addEventListener('abort', stop, { once: true })
  thread.postMessage(job)
  const answer = await promise
  signal.removeEventListener('abort', stop)
  thread.off('message', resolve).off('error', stop).off('exit', stop)
  thread.unref()
  return answer
}

/** Describes why a call ended early: its time limit or a cancellation. */
export function stoppedError({ reason }: AbortSignal): ToolError {
  const isLate = reason instanceof DOMException && reason.name === 'TimeoutError'
  if (!isLate) return { category: 'cancelled', message: 'the call was stopped' }
  return { category: 'timeout', message: 'It did not end within its time limit' }
}

/** Job for a page thread. */
export type PageJob =
  | {
      readonly kind: 'text'
      readonly html: string
      /** Base of relative links. */
      readonly url: string
      readonly maxCharacters: number
    }
  /** Validates a selector before a page is fetched. */
  | { readonly kind: 'check'; readonly select: string }
  | {
      readonly kind: 'select'
      readonly markup: string
      readonly isXml: boolean
      readonly select: string
      /** `text`, `html` or `attr:NAME`. */
      readonly extract: string
      readonly limit: number
      readonly maxCharacters: number
    }

export type PageAnswer =
  | { readonly kind: 'ok'; readonly output: string }
  | { readonly kind: 'error'; readonly error: ToolError }
