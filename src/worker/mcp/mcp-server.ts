import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/client'
import { mcpErrorCategories } from '../../domain/tool/mcp-error-code.ts'
import { type McpServerState, type McpTool, mcpToolName } from '../../domain/tool/mcp-tool.ts'
import { backoffMs } from '../../util/run-periodically.ts'
import type { WorkerTool, WorkerToolOutcome } from '../worker-tool.ts'
import type { McpServerOptions, McpSurroundings } from './mcp-options.ts'
import { openClient, reasonOf } from './open-client.ts'
import { readTools } from './read-tools.ts'
import { toError, toOutcome } from './to-outcome.ts'

const defaultBackoff = { first: 1_000, most: 60_000 }
/**
 * Milliseconds between two looks at a list that a server says has changed; longer each time that it has, since each change is told
 * to people (MCP-08).
 */
const refreshMs = { first: 2_000, most: 300_000 }

/** Characters of what is told of a server's state, and of why it is away. */
const longestNote = 2_000
const longestReason = 500

type Call = Parameters<WorkerTool>[1]

/**
 * REACH-02: one server, connected as long as this lives. One that is away is tried again, and costs its own tools alone.
 */
export class McpServer implements AsyncDisposable {
  readonly #options: McpServerOptions
  readonly #surroundings: McpSurroundings
  readonly #onChange: (state: McpServerState) => void
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  #client: Client | undefined
  #tools = new Map<string, McpTool>()
  #refreshing: Promise<void> = Promise.resolve()
  #isRefreshDue = false
  #changes = 0

  constructor(
    options: McpServerOptions,
    surroundings: McpSurroundings,
    onChange: (state: McpServerState) => void,
  ) {
    this.#options = options
    this.#surroundings = surroundings
    this.#onChange = onChange
    this.#running = this.#keepConnected()
  }

  /** The tool with this name (REG-03), as the server describes it now. */
  find(name: string): McpTool | undefined {
    return this.#tools.get(name)
  }

  /**
   * Calls a tool as it was described when `sha256` was approved. At most once: a call whose answer is lost is not sent again.
   */
  async call(
    name: string,
    sha256: string,
    args: Readonly<Record<string, unknown>>,
    { signal, timeoutMs }: Pick<Call, 'signal' | 'timeoutMs'>,
  ): Promise<WorkerToolOutcome> {
    const server = this.#options.name
    const tool = this.#tools.get(name)
    if (this.#client === undefined || tool === undefined)
      return failed(mcpErrorCategories.transient, `the MCP server ${server} is away`)
    if (tool.sha256 !== sha256)
      return failed('policy_blocked', `${server} has changed ${tool.name} since it was approved`)
    try {
      const how = { signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs }
      return toOutcome(await this.#client.callTool({ name: tool.name, arguments: args }, how))
    } catch (error) {
      if (signal.aborted) throw error
      return { kind: 'error', error: toError(server, error) }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #keepConnected(): Promise<void> {
    const { first, most } = this.#surroundings.backoffMs ?? defaultBackoff
    for (let failures = 0; !this.#isStopped; failures += 1) {
      const connectedAt = performance.now()
      const why = (await this.#serve().catch(reasonOf)).slice(0, longestReason)
      this.#tools = new Map()
      this.#client = undefined
      if (this.#isStopped) return
      this.#tell({ state: 'away', note: why })
      // One that served for a while is not to blame for earlier failures.
      if (performance.now() - connectedAt > most) failures = 0
      await delay(backoffMs(failures, first, most), undefined, this.#waiting).catch(() => undefined)
    }
  }

  get #isStopped(): boolean {
    return this.#stop.signal.aborted
  }

  get #waiting() {
    return { signal: this.#stop.signal }
  }

  /** Serves until the connection ends; returns why. */
  async #serve(): Promise<string> {
    const closed = Promise.withResolvers<string>()
    const { signal } = this.#stop
    const refresh = (): void => this.#refreshSoon(closed.reject)
    const open = await openClient(this.#options, this.#surroundings, refresh, signal)
    const { client } = open
    client.onclose = () => closed.resolve('it has ended')
    const stop = () => closed.resolve('stopped')
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    try {
      this.#client = client
      await this.#refresh(client)
      const why = await closed.promise
      return open.whyEnded() ?? why
    } catch (error) {
      throw new Error(open.whyEnded() ?? reasonOf(error), { cause: error })
    } finally {
      signal.removeEventListener('abort', stop)
      await client.close().catch(() => undefined)
    }
  }

  /** One look at a time, one to come, and a pause after each: a server may say as often as it likes that its list has changed. */
  #refreshSoon(onFailure: (error: unknown) => void): void {
    if (this.#isRefreshDue) return
    this.#isRefreshDue = true
    this.#refreshing = this.#refreshing.then(async () => {
      this.#isRefreshDue = false
      const client = this.#client
      if (client === undefined || this.#isStopped) return
      const before = digestsOf(this.#tools)
      await this.#refresh(client).catch(onFailure)
      this.#changes = digestsOf(this.#tools) === before ? 0 : this.#changes + 1
      const pauseMs = Math.min(refreshMs.first * 2 ** this.#changes, refreshMs.most)
      await delay(pauseMs, undefined, this.#waiting).catch(() => undefined)
    })
  }

  async #refresh(client: Client): Promise<void> {
    const { name: server, timeoutMs } = this.#options
    // The time limit holds for all pages together.
    const late = AbortSignal.timeout(timeoutMs)
    const signal = AbortSignal.any([this.#stop.signal, late])
    const how = { timeout: timeoutMs, signal, cacheMode: 'refresh' } as const
    const { tools: offered } = await client.listTools(undefined, how).catch((cause: unknown) => {
      throw late.aborted ? new Error('it did not list its tools in time', { cause }) : cause
    })
    const title = titleOf(client)
    const { tools, notes } = readTools(server, offered, { title, launch: launchOf(this.#options) })
    this.#tools = new Map(tools.map((tool) => [mcpToolName(server, tool.name), tool]))
    const note = notes.length === 0 ? undefined : notes.join('; ').slice(0, longestNote)
    this.#tell({ state: 'up', title, tools, ...(note === undefined ? {} : { note }) })
  }

  #tell(state: Partial<McpServerState> & Pick<McpServerState, 'state'>): void {
    const { name: server, timeoutMs } = this.#options
    const launch = launchOf(this.#options)
    this.#onChange({ server, title: '', launch, timeoutMs, tools: [], ...state })
  }
}

function digestsOf(tools: ReadonlyMap<string, McpTool>): string {
  return [...tools.values()].map(({ sha256 }) => sha256).join()
}

function titleOf(client: Client): string {
  const { name = '', version = '' } = client.getServerVersion() ?? {}
  return `${name} ${version}`.trim().slice(0, 200)
}

/** The command line, whose words are quoted where that matters, or the address without a query, which may hold a secret. */
function launchOf(options: McpServerOptions): string {
  if (options.transport === 'http') return options.url.split(/[?#]/u, 1)[0] ?? ''
  return options.command
    .map((word) => (/^[\w@%+=:,./-]+$/u.test(word) ? word : JSON.stringify(word)))
    .join(' ')
}

function failed(category: 'network_error' | 'policy_blocked', message: string): WorkerToolOutcome {
  return { kind: 'error', error: { category, message } }
}
