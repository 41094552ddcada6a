import type { Db } from '../../db/schema.ts'
import { findOffered, type OfferedTool } from '../../db/worker/mcp-tools.ts'
import type { McpTool } from '../../domain/tool/mcp-tool.ts'
import { mcpToolSpec } from '../../rules/tools/mcp-tool-spec.ts'
import type { ToolSpec } from '../../rules/tools/tool-spec.ts'
import { readAnnotations } from '../stored.ts'

/**
 * MCP-01: the approved tools of MCP servers, by worker. Kept in memory, since each step of a turn needs them; loaded again
 * after each change and from time to time. The worker itself checks the digest once more before it calls a server.
 */
export class ToolCatalogue {
  readonly #builtin: readonly ToolSpec[]
  #byWorker: ReadonlyMap<string, readonly ToolSpec[]> = new Map()
  #loaded = ''

  constructor(builtin: readonly ToolSpec[]) {
    this.#builtin = builtin
  }

  /** The built-in tools and those of the worker's servers; the same array until the next change. */
  toolsOf(worker: string): readonly ToolSpec[] {
    return this.#byWorker.get(worker) ?? this.#builtin
  }

  /** Number of tools of the worker that has most. */
  get mostTools(): number {
    const counts = [...this.#byWorker.values()].map(({ length }) => length)
    return Math.max(this.#builtin.length, ...counts)
  }

  /** Definitions stay the same objects where nothing has changed: what is derived of them is kept by them. */
  async load(db: Db): Promise<void> {
    const approved = (await findOffered(db)).filter(({ state }) => state === 'approved')
    const loaded = JSON.stringify(approved)
    if (loaded === this.#loaded) return
    this.#loaded = loaded
    const taken = new Set(this.#builtin.map(({ name }) => name))
    const workers = new Set(approved.map(({ worker }) => worker))
    this.#byWorker = new Map(
      [...workers].map((worker) => {
        const own = approved.filter((tool) => tool.worker === worker)
        return [worker, [...this.#builtin, ...specsOf(own, taken)]]
      }),
    )
  }
}

/**
 * The definitions of tools. REG-03: a name that a built-in tool or another server's tool has is used by none; two descriptions of
 * one tool, as replicas of different versions offer, are offered as the one approved last.
 */
function specsOf(tools: readonly OfferedTool[], taken: ReadonlySet<string>): readonly ToolSpec[] {
  const latest = new Map<string, OfferedTool>()
  for (const tool of tools) {
    const key = JSON.stringify([tool.server, tool.name])
    const known = latest.get(key)
    if (known === undefined || timeOf(known) < timeOf(tool)) latest.set(key, tool)
  }
  const specs = [...latest.values()].flatMap((tool) => {
    const { server, timeout_ms: timeoutMs } = tool
    return mcpToolSpec({ server, timeoutMs, tool: toMcpTool(tool) }) ?? []
  })
  const times = Map.groupBy(specs, ({ name }) => name)
  return specs.filter(({ name }) => !taken.has(name) && times.get(name)?.length === 1)
}

function timeOf({ decided_at }: OfferedTool): number {
  return decided_at?.getTime() ?? 0
}

function toMcpTool({
  name,
  title,
  description,
  input_schema,
  annotations,
  sha256,
}: OfferedTool): McpTool {
  return {
    ...{ name, description, sha256 },
    ...(title === null ? {} : { title }),
    inputSchema: input_schema,
    annotations: readAnnotations(annotations),
  }
}
