import { z } from 'zod'
import type { Messages } from '../../domain/messages/messages.ts'
import type { CallBlock } from '../../domain/tool/tool-call.ts'
import type { Risk } from '../../domain/verdict.ts'

/** The URL of web tools; the gate and the worker decide which are allowed (WEB-02). */
export const urlField = z
  .string()
  .min(1)
  .max(8192)
  .describe('The absolute URL, beginning with `https://`.')

/** REG-02: for a client's icon or spinner. */
type ToolKind = 'execute' | 'read' | 'edit' | 'search' | 'fetch' | 'other'

type Arguments = Readonly<Record<string, unknown>>

/** GATE-06: a path argument, and what a call does to the path. */
export interface PathArgument {
  readonly argument: string
  readonly use: 'read' | 'write' | 'remove'
  /** A single file, never a directory with its content. */
  readonly isFile?: true
  /** A path denied by the rules for `read` or `write` is denied for this tool too. */
  readonly deniedLike?: 'read' | 'write'
  /** The effect of this call on the path beyond the tool's minimum, in words that grants store: `writes it`. */
  readonly effectOf?: (args: Arguments) => string | undefined
}

/** GATE-06: the values that a tool's rules match. */
type RuleSubject =
  /** Each command of a bash line. */
  | { readonly kind: 'command'; readonly argument: string }
  /** All of `paths`; `pattern` names the argument with a glob below the first of them. */
  | { readonly kind: 'paths'; readonly pattern?: string }
  | { readonly kind: 'url' | 'name'; readonly argument: string }
  /** MCP-03: all arguments, by conditions on their JSON. */
  | { readonly kind: 'arguments' }

/** MCP-01: the server that a tool comes from. */
export interface ToolOrigin {
  /** The server's name in the configuration. */
  readonly server: string
  /** The tool's name at the server. */
  readonly tool: string
  /** Digest of the approved definition, 32 to 64 hexadecimal digits in lower case: grants hold for it alone. */
  readonly pin?: string
}

/** REG-01: the definition of one tool; model schema, catalogue, gate and worker derive from it. */
export interface ToolSpec {
  readonly name: string
  /** GATE-04: other names that rules may use for it. */
  readonly aliases?: readonly string[]
  /** Rules may name it by server and tool, too: `mcp__{server}__{tool}`. */
  readonly origin?: ToolOrigin
  /** For the model: what it does, its limits, what comes back. */
  readonly description: string
  readonly kind: ToolKind
  /** CARD-01: what a call does, by its key in the catalogue of messages; absent: what its kind does. */
  readonly does?: keyof Messages['cards']['does']
  readonly schema: z.ZodObject
  /** The JSON Schema for the model, where it is not derived from `schema`. */
  readonly shownSchema?: Readonly<Record<string, unknown>>
  /** May be run again after a crash without harm. */
  readonly idempotent: boolean
  readonly cacheable: boolean
  /** ERR-03: transient failures (rate limit, server, network, time-out) are retried by the system; only for idempotent tools. */
  readonly retryable?: true
  /** May change something: such calls of a session run one at a time, in order (REG-07), at most once. */
  readonly mutating: boolean
  readonly needsNetwork: boolean
  /** In the session's box, in the worker beside it, or on the agent's side inside the turn's transaction. */
  readonly runsIn: 'box' | 'worker' | 'agent'
  /** Starts programs, so it runs in the command box, which can access `[tools.shell] allowed_paths` (BASH-10). */
  readonly runsPrograms?: true
  /** Default time limit of one call in milliseconds. */
  readonly timeoutMs: number
  /** GATE-06; absent: rules match the tool's name only. */
  readonly ruledBy?: RuleSubject
  /** The paths in a call's arguments, in the order of the call's canonical paths. */
  readonly paths?: readonly PathArgument[]
  /** The rules of that tool apply to this one too: where writing is forbidden, so is uploading. */
  readonly ruledAs?: 'write'
  /** GATE-07: shows content below its path, so the executor must know which paths may not be read. */
  readonly walksTree?: true
  /** For calls inside the workspace; absent: medium if it may change something, else low. */
  readonly risk?: Risk
  /** MCP-02: a person answers for each call: no rule, grant or *Always* allows one. */
  readonly requiresPerson?: true
  /** APPR-01: the box can compute the changes beforehand, and the approval card shows them. */
  readonly previews?: true
  /** MODEL-02; absent: called only by JSON blocks that name the tool. */
  readonly block?: CallBlock
  /** SCH-02: shown to the model regardless of the number of tools, unless the operator names others. */
  readonly alwaysShown?: true
  /** SCH-02: finds tools that were left out; shown only if there are any. */
  readonly findsTools?: true
  /** CHAT-07: a user's file is sent with its arguments. */
  readonly carriesFile?: true
  /** BASH-07: restores the workspace from a snapshot that the worker keeps. */
  readonly restores?: true
  /** Started by people only: no model sees or calls it. */
  readonly isForPeople?: true
}

/** The path field of file tools; `what` describes the path. */
export function pathField(what: string): z.ZodString {
  return z
    .string()
    .min(1)
    .max(4096)
    .describe(
      `${what} Absolute, relative to the workspace, or starting with \`~/\` (the workspace).`,
    )
}

/** A count from `min` to `max`, both included. */
export function countField(min: number, max: number, what: string): z.ZodNumber {
  return z.number().int().min(min).max(max).describe(what)
}

/** `[tools.shell] timeout` and `max_timeout`, `[tools.scrape] timeout`, in milliseconds. */
export interface TimeLimits {
  readonly shellTimeoutMs: number
  readonly shellMaxTimeoutMs: number
  readonly webTimeoutMs: number
}

/** BASH-01, WEB-05: the time limit of one call in milliseconds: the command's own, capped by the configuration. */
export function timeLimitOf(
  spec: ToolSpec,
  args: Readonly<Record<string, unknown>>,
  { shellTimeoutMs, shellMaxTimeoutMs, webTimeoutMs }: TimeLimits,
): number {
  if (spec.kind === 'fetch') return webTimeoutMs
  if (spec.kind !== 'execute') return spec.timeoutMs
  const asked = args['timeout']
  return typeof asked === 'number' ? Math.min(asked * 1000, shellMaxTimeoutMs) : shellTimeoutMs
}

type Ruled = Pick<ToolSpec, 'ruledBy'>

/** Whether a tool runs bash commands. */
export function runsCommands({ ruledBy }: Ruled): boolean {
  return ruledBy?.kind === 'command'
}

/** The main argument of a tool: its command or URL; undefined if it has none. */
export function mainArgument(spec: Ruled | undefined): string | undefined {
  const ruledBy = spec?.ruledBy
  return ruledBy?.kind === 'command' || ruledBy?.kind === 'url' ? ruledBy.argument : undefined
}

/** A call's bash command line; undefined for other tools. */
export function commandOf(
  { ruledBy }: Ruled,
  args: Readonly<Record<string, unknown>>,
): string | undefined {
  const text = ruledBy?.kind === 'command' ? args[ruledBy.argument] : undefined
  return typeof text === 'string' ? text : undefined
}
