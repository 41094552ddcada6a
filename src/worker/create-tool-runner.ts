import type { FileRules } from '../domain/tool/file-rules.ts'
import type { SandboxDriver } from '../ports/sandbox.ts'
import type { CallOutcome, JobHeader } from '../rules/jobs/contract.ts'
import { parseArguments } from '../rules/tools/parse-arguments.ts'
import type { ToolRegistry } from '../rules/tools/registry.ts'
import { type TimeLimits, type ToolSpec, timeLimitOf } from '../rules/tools/tool-spec.ts'
import { sha256 } from '../util/digest.ts'
import { newId } from '../util/ids.ts'
import { BoxPool } from './box/box-pool.ts'
import { prepareBox } from './box/prepare-box.ts'
import { BoxFailure } from './box/start-box.ts'
import { cleanOutcome, type Pipeline } from './clean-outcome.ts'
import type { PreparedCall } from './prepare-call.ts'
import type { RetryLimits } from './retry-limits.ts'
import { runCall } from './run-call.ts'
import type { WorkerOptions } from './worker-options.ts'
import type { WorkerTool } from './worker-tool.ts'

export interface ToolRunnerOptions {
  readonly driver: SandboxDriver
  readonly registry: ToolRegistry
  readonly workerTools: ReadonlyMap<string, WorkerTool>
  /** Host directory. One box serves all calls, or one serves programs and one the others. */
  readonly workspace: string
  readonly mounts: WorkerOptions['mounts']
  readonly commandMounts?: WorkerOptions['mounts']
  readonly startTimeoutMs: number
  /** File rules as the box sees them, for programs and for other tools. */
  readonly rulesOf: (spec: ToolSpec) => FileRules
  /** Returns the paths of a call, absolute in the box; `canonical` is where they turned out to lead. */
  readonly pathsOf: (call: NamedCall) => readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly limits: TimeLimits
  readonly maxStreamBytes: number
  readonly maxDiagnostics: number
  readonly retries: RetryLimits
  readonly pipeline: Pipeline
}

export interface NamedCall {
  readonly spec: ToolSpec
  readonly args: Readonly<Record<string, unknown>>
  readonly canonical: readonly string[]
}

/** Runs tools as a worker does, without gate and approvals: for operators who test a box, and for tests. */
export interface ToolRunner extends AsyncDisposable {
  /** Runs one call with arguments as JSON text. */
  run(tool: string, argumentsText: string): Promise<CallOutcome>
}

const oneWorkspace = 'tools-run'
/** Maximum number of redirects of a path that keeps changing. */
const mostPlaces = 3

export function createToolRunner(options: ToolRunnerOptions): ToolRunner {
  const { driver, registry, workspace, env, maxStreamBytes, maxDiagnostics } = options
  const { mounts, commandMounts, startTimeoutMs, retries } = options
  const key = `${newId()}/${oneWorkspace}`
  const pool = new BoxPool({
    driver,
    idleTimeoutMs: 24 * 60 * 60_000,
    maxBoxes: 2,
    startTimeoutMs,
    hasCommandBox: commandMounts !== undefined,
    specFor: (_id, use) => {
      if (use === 'files') return prepareBox({ key, workspace, ...mounts })
      return prepareBox({ key: `${key}/commands`, workspace, ...(commandMounts ?? mounts) })
    },
  })
  const surroundings = { pool, maxStreamBytes, maxDiagnostics, env, retries }
  return {
    async run(tool, argumentsText) {
      const spec = registry.find(tool)
      if (spec === undefined) return failed('tool_not_found', notFound(tool, registry))
      const parsed = parseArguments(spec, argumentsText)
      if (parsed.kind === 'error') return { kind: 'failed', error: parsed.error }
      const workerTool = spec.runsIn === 'worker' ? options.workerTools.get(tool) : undefined
      if (spec.runsIn === 'agent' || (spec.runsIn === 'worker' && workerTool === undefined)) {
        return failed('tool_not_found', `${tool} needs an agent: it does not run here`)
      }
      const { args } = parsed
      const timeoutMs = timeLimitOf(spec, args, options.limits)
      const prepare = (canonical: readonly string[]): PreparedCall => {
        const judged = options.pathsOf({ spec, args, canonical })
        const header = toHeader({ tool, argumentsText, judged, timeoutMs }, options.rulesOf(spec))
        return { header, spec, args, workerTool }
      }
      try {
        return await runPrepared(prepare)
      } catch (error) {
        if (error instanceof BoxFailure) return failed('server_error', error.message)
        throw error
      }
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }

  async function runPrepared(
    prepare: (canonical: readonly string[]) => PreparedCall,
  ): Promise<CallOutcome> {
    let canonical: readonly string[] = []
    for (let places = 0; places < mostPlaces; places += 1) {
      const never = new AbortController().signal
      const outcome = await runCall(prepare(canonical), surroundings, silentHooks, never)
      if (outcome.kind === 'interrupted' || outcome.kind === 'not-started') {
        return failed('server_error', 'the box ended before it answered')
      }
      if (outcome.kind !== 'elsewhere') return cleanOutcome(outcome, options.pipeline)
      // A gate would now evaluate the canonical path.
      canonical = outcome.canonical
    }
    return failed('permanent_failure', 'the path leads to another place each time it is looked at')
  }
}

const silentHooks = {
  begin: async () => true,
  started: () => undefined,
  progress: () => undefined,
}

interface Facts extends Pick<JobHeader, 'tool' | 'timeoutMs'> {
  readonly judged: readonly string[]
  readonly argumentsText: string
}

/** Builds the header of a signed job. */
function toHeader({ argumentsText, judged, ...facts }: Facts, rules: FileRules): JobHeader {
  const callId = newId()
  return {
    v: 1,
    kid: 'none',
    type: 'run',
    callId,
    turnId: callId,
    epoch: 1,
    attempt: 1,
    worker: 'none',
    conversation: oneWorkspace,
    workspaceId: oneWorkspace,
    argumentsSha256: sha256(argumentsText),
    rules: { ...rules, ...mutable(rules) },
    network: false,
    caller: 'console',
    iat: 0,
    exp: 0,
    judged: [...judged],
    ...facts,
  }
}

function mutable({ allowed, denyRead, allowRead, denyByRule, masked }: FileRules) {
  return {
    allowed: [...allowed],
    denyRead: [...denyRead],
    allowRead: [...allowRead],
    denyByRule: [...denyByRule],
    masked: [...masked],
  }
}

function notFound(tool: string, registry: ToolRegistry): string {
  const near = registry.nearest(tool)
  const hint = near.length === 0 ? '' : `; the nearest are ${near.join(', ')}`
  return `there is no tool ${JSON.stringify(tool.slice(0, 64))}${hint}`
}

function failed(
  category: 'tool_not_found' | 'server_error' | 'permanent_failure',
  message: string,
): CallOutcome {
  return { kind: 'failed', error: { category, message } }
}
