import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { InboundBody } from '../../src/core/inbox/inbound.ts'
import type { Outgoing } from '../../src/ports/chat.ts'
import { compileCache } from './database/compile-cache.ts'
import { mainProgram, productProcess } from './run/programs.ts'

/** One line of the product's standard input: an update as a platform would send it. */
export interface PersonsDeed {
  readonly externalId: string
  readonly conversation: string
  readonly body: InboundBody
}

/** One line of its standard output. */
export type ProductLine =
  | { readonly event: 'ready'; readonly sandbox: string }
  | { readonly event: 'taken'; readonly externalId: string }
  | { readonly event: 'not-taken'; readonly externalId: string; readonly why: string }
  | {
      readonly event: 'delivered'
      readonly conversation: string
      readonly message: Outgoing
      readonly messageId: string
      readonly editOf?: string
    }

export interface ProductOptions {
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
}

/** How a process ended: its code, or the signal that ended it. */
export interface Ended {
  readonly code: number | null
  readonly signal: string | null
}

/** The product in a process of its own, driven over its pipes by JSON lines. Disposing kills it. */
export class RealProduct implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #lines: ProductLine[] = []
  readonly #ready = Promise.withResolvers<void>()
  readonly #taken = new Map<string, PromiseWithResolvers<boolean>>()
  /** When it was started, in milliseconds of `performance.now()`. */
  readonly startedAt = performance.now()
  readonly ended: Promise<Ended>
  #said = ''

  constructor({ cwd, environment }: ProductOptions) {
    this.#child = spawn(process.execPath, [productProcess], {
      cwd,
      env: { ...compileCache, ...environment },
    })
    this.ended = once(this.#child, 'close').then(([code, signal]) => ({ code, signal }))
    this.#ready.promise.catch(() => undefined)
    void this.ended.then((end) => this.#end(end))
    this.#child.stdin?.on('error', () => undefined)
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said += text
    })
    const { stdout } = this.#child
    if (stdout !== null) {
      createInterface({ input: stdout }).on('line', (line) => this.#take(JSON.parse(line)))
    }
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the product was not started')
    return this.#child.pid
  }

  /** What it has told so far. */
  get lines(): readonly ProductLine[] {
    return this.#lines
  }

  /** What it has written to standard error. */
  get said(): string {
    return this.#said
  }

  /** Settles when messages are taken; rejects when the process ended before. */
  get ready(): Promise<void> {
    return this.#ready.promise
  }

  /** Sends an update; false when it was not confirmed, so that a platform would send it again. */
  async act(deed: PersonsDeed): Promise<boolean> {
    const taken = Promise.withResolvers<boolean>()
    this.#taken.set(deed.externalId, taken)
    this.#child.stdin?.write(`${JSON.stringify(deed)}\n`)
    return Promise.race([taken.promise, this.ended.then(() => false)])
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.signal('SIGKILL')
    await this.ended
  }

  #take(line: ProductLine): void {
    this.#lines.push(line)
    if (line.event === 'ready') this.#ready.resolve()
    if (line.event === 'taken') this.#taken.get(line.externalId)?.resolve(true)
    if (line.event === 'not-taken') this.#taken.get(line.externalId)?.resolve(false)
  }

  #end({ code, signal }: Ended): void {
    this.#ready.reject(
      new Error(`the product ended (${signal ?? code}) before it was ready: ${this.#said}`),
    )
  }
}

/** The true program with pipes; what it writes is kept. Disposing kills it. */
export class RealProgram implements AsyncDisposable {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  readonly startedAt = performance.now()
  #stdout = ''
  #stderr = ''

  constructor(args: readonly string[], { cwd, environment }: ProductOptions) {
    const line = [mainProgram, ...args]
    this.child = spawn(process.execPath, line, { cwd, env: { ...compileCache, ...environment } })
    this.ended = once(this.child, 'close').then(([code, signal]) => ({ code, signal }))
    this.child.stdin?.on('error', () => undefined)
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text
    })
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text
    })
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error('the program was not started')
    return this.child.pid
  }

  get stdout(): string {
    return this.#stdout
  }

  get stderr(): string {
    return this.#stderr
  }

  write(line: string): void {
    this.child.stdin?.write(`${line}\n`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGKILL')
    await this.ended
  }
}
