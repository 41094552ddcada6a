import type { CacheLimits } from '../db/call/result-cache.ts'
import type { Db } from '../db/schema.ts'
import type { ApproverSettings, RoutingSettings } from '../domain/approvers.ts'
import type { DailyLimits } from '../domain/budget.ts'
import type { Messages } from '../domain/messages/messages.ts'
import type { ToolView } from '../domain/tool/tool-view.ts'
import type { SnapshotLimits } from '../domain/workspace-tree.ts'
import type { Observer } from '../ports/observer.ts'
import type { Signals } from '../ports/signals.ts'
import type { Log } from '../util/log.ts'

/** Configuration values for the core. Durations in milliseconds. */
export interface CoreSettings {
  /** Worker that sessions use. */
  readonly worker: string
  readonly maxToolIterations: number
  /** LOOP-12: token budget of which a prompt fills at most 80 %; undefined: the model's window. */
  readonly contextBudgetTokens?: number | undefined
  /** Time limit for one answer of the model. */
  readonly modelTimeoutMs: number
  /** MODEL-04: time during which a failed model call is retried. */
  readonly modelRetryBudgetMs: number
  /** undefined: unlimited. */
  readonly maxToolCallsPerSession: number | undefined
  readonly toolsEnabled: boolean
  /** Selection of tools shown to models; undefined: all. */
  readonly toolView?: ToolView | undefined
  /** Messages handled for one person in a minute; undefined: unlimited. */
  readonly messagesPerMinute?: number | undefined
  /** CHAT-07: maximum file size in bytes; undefined: 20 MiB. */
  readonly uploadBytes?: number | undefined
  readonly approvalTtlMs: number
  readonly remindAfterMs: number | undefined
  /** APPR-19: action on approvals that expire unanswered: deny, extend, or stop the turn. */
  readonly onExpiry: 'deny' | 'wait' | 'stop'
  /** CARD-07: approvals after which a card proposes a rule; 0: never. */
  readonly learnAfter: number
  /** CARD-07: whether operators get a weekly digest of approvals. */
  readonly hasDigest: boolean
  /** APPR-23: tool names or wildcards that *Always* allows with any arguments. */
  readonly alwaysByName?: readonly string[] | undefined
  /** APPR-17: who may approve, and how many must. */
  readonly approvers: ApproverSettings
  readonly routing: RoutingSettings
  readonly workerGraceMs: number
  readonly shellTimeoutMs: number
  /** Maximum time limit that a command may request. */
  readonly shellMaxTimeoutMs: number
  /** BASH-07: a failed call leaves the workspace as it was; undefined: it does not. */
  readonly transaction: SnapshotLimits | undefined
  /** WEB-05: time limit for a whole exchange. */
  readonly webTimeoutMs: number
  readonly overflowThreshold: number
  readonly overflowMaxBytes: number
  readonly overflowRetentionDays: number
  /** OUT-13: output over the threshold is summarised by the model instead of cut. */
  readonly summariseOutput?: boolean | undefined
  /** OUT-11: limits of a session's result cache; undefined: none. */
  readonly resultCache?: CacheLimits | undefined
  /** POL-04: failure limits of a tool; undefined: not monitored. */
  readonly anomaly?: AnomalyLimits | undefined
  /** The operators' conversation, such as `telegram:-100123`. */
  readonly alertsTo: string | undefined
  /** LOOP-15: daily budgets of people and sessions. */
  readonly budgets: BudgetSettings
  /** US dollars per million tokens, by model name. */
  readonly prices: Readonly<Record<string, Price>>
}

export interface BudgetSettings {
  /** Share of a budget at which people are warned. */
  readonly warnAt: number
  /** Callers exempt from budgets. */
  readonly exempt: readonly string[]
  readonly caller: DailyLimits
  readonly session: DailyLimits
}

export interface AnomalyLimits {
  /** Number of recent executions that count. */
  readonly windowSize: number
  /** Share of failures above which it is an incident. */
  readonly failureThreshold: number
  readonly autoBlock: boolean
}

export interface Price {
  readonly input: number
  readonly output: number
  /** Price of tokens read from a provider's cache; defaults to `input`. */
  readonly cacheRead?: number | undefined
  /** Price of tokens written to the cache; defaults to `input`. */
  readonly cacheWrite?: number | undefined
}

/**
 * CHAT-01: people admitted on a platform. An entry of digits is an account id, on Slack a member id such as `U012AB3CD`; any
 * other is a username, case-insensitive, with or without `@`. Empty lists admit nobody.
 */
export interface RoleLists {
  readonly users: readonly string[]
  readonly approvers: readonly string[]
  readonly operators: readonly string[]
}

/** Dependencies of every part of the core. */
export interface CoreContext {
  readonly db: Db
  readonly signals: Signals
  /** Receives events after their commit. */
  readonly observer: Observer
  readonly log: Log
  /** Removes the product's own secrets from text stored for operators. */
  readonly redact: (text: string) => string
  readonly settings: CoreSettings
  /** Configured people by platform; on other platforms every caller is already known. */
  readonly people: Readonly<Record<string, RoleLists>>
  /** What people read, in the configured language. */
  readonly messages: Messages
}
