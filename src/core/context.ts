import type { CacheLimits } from '../db/call/result-cache.ts'
import type { Db } from '../db/schema.ts'
import type { ApproverSettings, RoutingSettings } from '../domain/approvers.ts'
import type { DailyLimits } from '../domain/budget.ts'
import type { ToolView } from '../domain/tool/tool-view.ts'
import type { SnapshotLimits } from '../domain/workspace-tree.ts'
import type { Observer } from '../ports/observer.ts'
import type { Signals } from '../ports/signals.ts'
import type { Log } from '../util/log.ts'

/** Plain values from the configuration that the core decides by. Durations in milliseconds. */
export interface CoreSettings {
  /** The worker that sessions use. */
  readonly worker: string
  readonly maxToolIterations: number
  /** LOOP-12: tokens of which a prompt fills 80 % at most; undefined: the model's window. */
  readonly contextBudgetTokens?: number | undefined
  /** Time for one answer of the model. */
  readonly modelTimeoutMs: number
  /** MODEL-04: how long a model call that failed is tried again. */
  readonly modelRetryBudgetMs: number
  /** undefined: unlimited. */
  readonly maxToolCallsPerSession: number | undefined
  readonly toolsEnabled: boolean
  /** Which of the tools models are shown; undefined: all. */
  readonly toolView?: ToolView | undefined
  /** Messages of one person that are handled in a minute; undefined: unlimited. */
  readonly messagesPerMinute?: number | undefined
  /** CHAT-07: the largest file of a person that is taken; undefined: 20 MiB. */
  readonly uploadBytes?: number | undefined
  readonly approvalTtlMs: number
  readonly remindAfterMs: number | undefined
  /** APPR-19: what becomes of a question that nobody answered in time: denied, asked on, or the turn is stopped. */
  readonly onExpiry: 'deny' | 'wait' | 'stop'
  /** APPR-23: tools, or wildcards over their names, that *Always* allows whatever their arguments. */
  readonly alwaysByName?: readonly string[] | undefined
  /** APPR-17: who may answer, and how many must. */
  readonly approvers: ApproverSettings
  readonly routing: RoutingSettings
  readonly workerGraceMs: number
  readonly shellTimeoutMs: number
  /** The longest time limit that a command may ask for. */
  readonly shellMaxTimeoutMs: number
  /** BASH-07: a call that fails leaves the workspace as it was; undefined: it does not. */
  readonly transaction: SnapshotLimits | undefined
  /** WEB-05: of a whole exchange. */
  readonly webTimeoutMs: number
  readonly overflowThreshold: number
  readonly overflowMaxBytes: number
  readonly overflowRetentionDays: number
  /** OUT-13: what is over the threshold is summed up by the model instead of cut. */
  readonly summariseOutput?: boolean | undefined
  /** OUT-11: what a session remembers of its calls; undefined: nothing. */
  readonly resultCache?: CacheLimits | undefined
  /** POL-04: when a tool fails too often; undefined: nobody watches. */
  readonly anomaly?: AnomalyLimits | undefined
  /** The operators' conversation, such as `telegram:-100123`. */
  readonly alertsTo: string | undefined
  /** LOOP-15: what people and sessions may use on a day. */
  readonly budgets: BudgetSettings
  /** US dollars a million tokens by model name. */
  readonly prices: Readonly<Record<string, Price>>
}

export interface BudgetSettings {
  /** The share of a budget at which people are told. */
  readonly warnAt: number
  /** Callers whose turns no budget ends. */
  readonly exempt: readonly string[]
  readonly caller: DailyLimits
  readonly session: DailyLimits
}

export interface AnomalyLimits {
  /** The last executions of a tool that count. */
  readonly windowSize: number
  /** The share of failures among them above which it is an incident. */
  readonly failureThreshold: number
  readonly autoBlock: boolean
}

export interface Price {
  readonly input: number
  readonly output: number
  /** Of tokens read from a provider's cache; as `input` where it is not set. */
  readonly cacheRead?: number | undefined
  /** Of tokens put into it; as `input` where it is not set. */
  readonly cacheWrite?: number | undefined
}

/**
 * CHAT-01: whom the configuration lets in on a platform. An entry of digits is an account's id, on Slack a member's id such
 * as `U012AB3CD`; any other is a username, whatever its case, with or without `@`. Empty lists are nobody.
 */
export interface RoleLists {
  readonly users: readonly string[]
  readonly approvers: readonly string[]
  readonly operators: readonly string[]
}

/** What every part of the core is given. */
export interface CoreContext {
  readonly db: Db
  readonly signals: Signals
  /** Hears what happened, once it is committed. */
  readonly observer: Observer
  readonly log: Log
  /** Takes the product's own secrets out of text that is stored for operators. */
  readonly redact: (text: string) => string
  readonly settings: CoreSettings
  /** Who may talk, by platform, as the configuration has it; elsewhere whoever is handed over is known already. */
  readonly people: Readonly<Record<string, RoleLists>>
}
