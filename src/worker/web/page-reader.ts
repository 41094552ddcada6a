// Node's own `fork`: an idle process must not keep the worker from ending, so its channel is let go and taken up again.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as later } from 'node:timers'
import { fileURLToPath } from 'node:url'
import type { ToolError } from '../../domain/tool/tool-error.ts'

/** Heap limit of a process in MiB; a page's tree is much larger than its text. */
const heapMb = 256

/** Milliseconds for which an idle process is kept. */
const idleMs = 60_000

/** Argument that tells the program from a module that is imported. */
export const servesPages = 'serve-pages'

const program = fileURLToPath(new URL('./page-process.ts', import.meta.url))

/**
 * Reads pages in processes of their own, one page at a time each, so that no page blocks the worker or exhausts its memory. A
 * thread with a limit would not do: where its heap grows in large steps, V8 ends the whole process.
 */
export class PageReader implements AsyncDisposable {
  #spare: ChildProcess | undefined
  #idle: NodeJS.Timeout | undefined
  readonly #children = new Set<ChildProcess>()

  /** Starts a process in advance. */
  warm(): void {
    this.#keep(this.#take())
  }

  /** Runs a job; its process is ended when the signal aborts. Never rejects. */
  async read(job: PageJob, signal: AbortSignal): Promise<PageAnswer> {
    if (signal.aborted) return { kind: 'error', error: stoppedError(signal) }
    const child = this.#take()
    const answer = await ask(child, job, signal)
    if (answer === undefined) {
      await this.#end(child)
      return { kind: 'error', error: signal.aborted ? stoppedError(signal) : tooMuch }
    }
    this.#keep(child)
    return answer
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#idle)
    this.#spare = undefined
    await Promise.all([...this.#children].map((child) => this.#end(child)))
  }

  #take(): ChildProcess {
    clearTimeout(this.#idle)
    const spare = this.#spare
    this.#spare = undefined
    if (spare !== undefined) return spare
    const child = fork(program, [servesPages], {
      cwd: '/',
      env: {},
      execArgv: ['--disable-warning=ExperimentalWarning', `--max-old-space-size=${heapMb}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    // Errors reach the caller that waits for the process; a spare one is just dropped.
    child.on('error', () => undefined)
    child.on('exit', () => this.#forget(child))
    letGo(child)
    this.#children.add(child)
    return child
  }

  /** Keeps one spare process, which is enough for sequential pages. */
  #keep(child: ChildProcess): void {
    if (!this.#children.has(child)) return
    if (this.#spare !== undefined) return void this.#end(child)
    this.#spare = child
    clearTimeout(this.#idle)
    this.#idle = later(() => void this.#end(child), idleMs).unref()
  }

  async #end(child: ChildProcess): Promise<void> {
    this.#forget(child)
    child.kill('SIGKILL')
    child.ref()
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
      await once(child, 'exit')
  }

  #forget(child: ChildProcess): void {
    this.#children.delete(child)
    if (this.#spare === child) this.#spare = undefined
  }
}

const tooMuch = {
  category: 'permanent_failure' as const,
  message: 'the page took more memory to read than it may',
}

/** An idle process keeps the worker from ending as little as its channel does. */
function letGo(child: ChildProcess): void {
  child.unref()
  child.channel?.unref()
}

/** Returns the process's answer; undefined if it broke or the signal aborted. */
async function ask(
  child: ChildProcess,
  job: PageJob,
  signal: AbortSignal,
): Promise<PageAnswer | undefined> {
  const { promise, resolve } = Promise.withResolvers<PageAnswer | undefined>()
  const stop = (): void => resolve(undefined)
  child.ref()
  child.channel?.ref()
  child.once('message', resolve).once('error', stop).once('exit', stop)
  signal.addEventListener('abort', stop, { once: true })
  child.send(job, (error) => error && stop())
  const answer = await promise
  signal.removeEventListener('abort', stop)
  child.off('message', resolve).off('error', stop).off('exit', stop)
  letGo(child)
  return answer
}

/** Describes why a call ended early: its time limit or a cancellation. */
export function stoppedError({ reason }: AbortSignal): ToolError {
  const isLate = reason instanceof DOMException && reason.name === 'TimeoutError'
  if (!isLate) return { category: 'cancelled', message: 'the call was stopped' }
  return { category: 'timeout', message: 'It did not end within its time limit' }
}

/** Job for a page process. */
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
