import type { z } from 'zod'
import type { Risk } from '../../domain/risk.ts'
import type { CallBlock } from '../../domain/tool/call-block.ts'

/** REG-02: what a client may show as an icon or a spinner. */
export type ToolKind = 'execute' | 'read' | 'edit' | 'search' | 'fetch' | 'other'

type Arguments = Readonly<Record<string, unknown>>

/** GATE-06: an argument that is a path, and what a call does to it. */
export interface PathArgument {
  readonly argument: string
  readonly use: 'read' | 'write' | 'remove'
  /** The path is one file, never a directory with all below it. */
  readonly isFile?: true
  /** A path that the rules for `read` or `write` deny is denied for this tool as well. */
  readonly deniedLike?: 'read' | 'write'
  /** What this call does to the path beyond the least that its tool does, in words that grants store: `writes it`. */
  readonly does?: (args: Arguments) => string | undefined
}

/** GATE-06: what the rules for a tool are matched against. */
export type RuleSubject =
  /** Each command of a line for bash. */
  | { readonly kind: 'command'; readonly argument: string }
  /** All of `paths`; `pattern` is the argument with a glob below the first of them. */
  | { readonly kind: 'paths'; readonly pattern?: string }
  | { readonly kind: 'url' | 'name'; readonly argument: string }

/** REG-01: one tool. Everything said of it elsewhere (model schema, catalogue, gate, worker) is derived from this. */
export interface ToolSpec {
  readonly name: string
  /** GATE-04: other names that rules may use for it. */
  readonly aliases?: readonly string[]
  /** For the model: what it does, its limits, what comes back. */
  readonly description: string
  readonly kind: ToolKind
  readonly schema: z.ZodObject
  /** May be run again after a crash without harm. */
  readonly idempotent: boolean
  readonly cacheable: boolean
  /** ERR-03: a failure that may pass (rate limit, server, network, time-out) is tried again by the system; for what is idempotent. */
  readonly retryable?: true
  /** May change something: such calls of a session run one at a time, in order (REG-07), at most once. */
  readonly mutating: boolean
  readonly needsNetwork: boolean
  /** In the session's box, in the worker beside it, or on the agent's side inside the turn's transaction. */
  readonly runsIn: 'box' | 'worker' | 'agent'
  /** Starts programs: it goes to the box of commands, which reaches what `[tools.shell] allowed_paths` names (BASH-10). */
  readonly executes?: true
  /** Time limit of one call in milliseconds where the call or the configuration names no other. */
  readonly timeoutMs: number
  /** GATE-06; absent: its rules are matched against nothing but its name. */
  readonly ruledBy?: RuleSubject
  /** The paths that a call names, in the order of the arguments in a call's canonical paths. */
  readonly paths?: readonly PathArgument[]
  /** The rules for that tool count for this one too: where nothing may be written, nothing is uploaded either. */
  readonly ruledAs?: 'write'
  /** GATE-07: shows what lies below its path, so that the executor is told what may not be read. */
  readonly walks?: true
  /** Of a call inside the workspace; absent: medium where it may change something, else low. */
  readonly risk?: Risk
  /** APPR-01: the box can say beforehand what a call would change, and its card shows that. */
  readonly previews?: true
  /** MODEL-02; absent: only blocks of JSON that name the tool call it. */
  readonly block?: CallBlock
  /** SCH-02: shown to the model however many tools there are, where the operator names no others. */
  readonly alwaysShown?: true
  /** SCH-02: finds tools that were left out: shown only where there are such. */
  readonly findsTools?: true
  /** CHAT-07: a person's file travels beside its arguments. */
  readonly carriesFile?: true
  /** BASH-07: puts the workspace back from a snapshot, which the worker keeps. */
  readonly restores?: true
  /** Set for what only people start: no model is shown it or may call it. */
  readonly isForPeople?: true
}
