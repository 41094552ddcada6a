import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type {
  ExecutorOutcome,
  ExecutorReply,
  ExecutorRequest,
} from '../../src/domain/tool/executor-protocol.ts'
import type { FileRules } from '../../src/domain/tool/file-rules.ts'
import { compileCache } from '../support/database/compile-cache.ts'
import { executorFolder } from '../support/run/programs.ts'

type CallRequest = Extract<ExecutorRequest, { type: 'call' }>

const main = join(executorFolder, 'main.mjs')
const node = resolve(import.meta.dirname, '../../node_modules/.bin/node')

const endsWithinMs = 20_000

export interface ClientOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly flags?: readonly string[]
  /** Another entry file, for staged copies. */
  readonly main?: string
  readonly node?: string
}

/** The real executor as a child process in its own workspace, connected by its pipes. */
export class Client implements AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams
  readonly workspace: string
  readonly root: string
  readonly replies: ExecutorReply[] = []
  readonly exited: Promise<number | null>
  rules: FileRules
  #count = 0
  #rest: string[] = []
  readonly #waiting = new Set<() => void>()

  constructor(child: ChildProcessWithoutNullStreams, root: string, workspace: string) {
    this.child = child
    this.root = root
    this.workspace = workspace
    this.rules = {
      workspace,
      allowed: [],
      denyRead: [],
      allowRead: [],
      denyByRule: [],
      masked: [],
    }
    child.stdout.setEncoding('utf8')
    child.stdout.on('data', (text: string) => this.#take(text))
    child.stdin.on('error', () => undefined)
    this.exited = new Promise((done) => child.once('exit', (code) => done(code)))
    void this.exited.then(() => this.#wake())
  }

  /** Runs one call, from request to outcome. */
  async call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    extra: Partial<CallRequest> = {},
  ): Promise<ExecutorOutcome> {
    const id = this.begin(tool, args, extra)
    return this.result(id)
  }

  /** Sends a call and returns its id. By default, the paths that the model named are those that the gate judged. */
  begin(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    extra: Partial<CallRequest> = {},
  ): string {
    const id = extra.id ?? `call-${++this.#count}`
    const judged = ['path', 'source', 'destination']
      .map((name) => args[name])
      .flatMap((path) => (typeof path === 'string' ? [this.absolute(path)] : []))
    this.send({
      type: 'call',
      tool,
      arguments: args,
      rules: this.rules,
      judged,
      timeoutMs: 60_000,
      maxStreamBytes: 1_000_000,
      maxDiagnostics: 50,
      env: {},
      ...extra,
      id,
    })
    return id
  }

  send(value: unknown): void {
    this.child.stdin.write(`${JSON.stringify(value)}\n`)
  }

  absolute(path: string): string {
    return resolve(this.workspace, path.replace(/^~(?=\/|$)/, '.'))
  }

  async result(id: string): Promise<ExecutorOutcome> {
    const reply = await this.reply((each) => each.type === 'result' && each.id === id)
    if (reply.type !== 'result') throw new Error('not a result')
    return reply.outcome
  }

  /** Waits for the first reply, past or future, that `isWanted` accepts. */
  async reply(isWanted: (reply: ExecutorReply) => boolean): Promise<ExecutorReply> {
    for (;;) {
      const found = this.replies.find(isWanted)
      if (found !== undefined) return found
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        throw new Error('the executor has ended')
      }
      await new Promise<void>((wake) => this.#waiting.add(wake))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.stdin.end()
    // Like drivers do: Node may hang in its own exit, where a V8 thread waits for the thread that joins it.
    const kill = setTimeout(() => this.child.kill('SIGKILL'), endsWithinMs)
    await this.exited
    clearTimeout(kill)
    await rm(this.root, { recursive: true, force: true, maxRetries: 10 })
  }

  #take(text: string): void {
    this.#rest.push(text)
    if (!text.includes('\n')) return
    const lines = this.#rest.join('').split('\n')
    this.#rest = [lines.pop() ?? '']
    for (const line of lines) this.replies.push(JSON.parse(line))
    this.#wake()
  }

  #wake(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const wake of waiting) wake()
  }
}

/** Starts an executor. `root/ws` is its workspace; `root` is removed with it. */
export async function startClient(options: ClientOptions = {}): Promise<Client> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'executor-')))
  const workspace = join(root, 'ws')
  await mkdir(workspace)
  const flags = options.flags ?? ['--enable-experimental-regexp-engine']
  const child = spawn(options.node ?? node, [...flags, options.main ?? main], {
    env: {
      ...compileCache,
      PATH: '/usr/local/bin:/usr/bin:/bin',
      COUNTERSIGN_BOX: `test/${root}`,
      ...options.env,
    },
  })
  child.stderr.pipe(process.stderr)
  const client = new Client(child, root, workspace)
  await client.reply((reply) => reply.type === 'ready')
  return client
}

/** Returns the output of an outcome; fails if the call did not succeed. */
export function outputOf(outcome: ExecutorOutcome): string {
  if (outcome.kind !== 'ok') throw new Error(`expected success, got ${JSON.stringify(outcome)}`)
  return outcome.output
}

/** Returns the error of an outcome; fails if the call succeeded. */
export function errorOf(outcome: ExecutorOutcome): { category: string; message: string } {
  if (outcome.kind !== 'error') throw new Error(`expected an error, got ${JSON.stringify(outcome)}`)
  return outcome.error
}
