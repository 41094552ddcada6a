import type { Config } from '../config/config.ts'
import type { CoreContext, CoreSettings } from '../core/context.ts'
import type { Db } from '../db/schema.ts'
import type { Observer } from '../ports/observer.ts'
import type { Signals } from '../ports/signals.ts'
import type { Log } from '../util/log.ts'
import { createProductRedactor } from './logs/create-product-redactor.ts'
import { peopleOf } from './people-of.ts'
import { toolViewOf } from './settings/tool-view-of.ts'

export interface CoreParts {
  readonly config: Config
  readonly db: Db
  readonly signals: Signals
  readonly observer: Observer
  readonly log: Log
}

/** Builds the part of the core common to gateways and agents, without keys, model and gate rules. */
export function buildCore({ config, db, signals, observer, log }: CoreParts): CoreContext {
  const redactor = createProductRedactor(config)
  return {
    db,
    signals,
    observer,
    log,
    redact: (text) => redactor.redact(text).text,
    settings: settingsOf(config),
    people: peopleOf(config),
  }
}

function settingsOf(config: Config): CoreSettings {
  const { agent, approval, tools, worker, prices } = config
  return {
    worker: worker.name,
    maxToolIterations: agent.maxToolIterations,
    contextBudgetTokens: agent.contextBudgetTokens,
    modelTimeoutMs: config.model.timeoutMs,
    modelRetryBudgetMs: config.model.retryBudgetMs,
    maxToolCallsPerSession: tools.maxToolCallsPerSession,
    toolsEnabled: tools.enabled,
    toolView: toolViewOf(config),
    messagesPerMinute: config.limits.messagesPerMinute,
    uploadBytes: config.limits.uploadBytes,
    approvalTtlMs: approval.ttlMs,
    remindAfterMs: approval.remindAfterMs === 0 ? undefined : approval.remindAfterMs,
    onExpiry: approval.onExpiry,
    alwaysByName: approval.alwaysByName,
    approvers: approversOf(config),
    routing: routingOf(config),
    workerGraceMs: worker.graceMs,
    shellTimeoutMs: tools.shell.timeoutMs,
    transaction: tools.shell.transactional
      ? { maxBytes: tools.shell.maxSnapshotBytes, isRequired: tools.shell.snapshotRequired }
      : undefined,
    webTimeoutMs: tools.scrape.timeoutMs,
    shellMaxTimeoutMs: tools.shell.maxTimeoutMs,
    overflowThreshold: tools.overflow.threshold,
    overflowMaxBytes: tools.overflow.maxOverflowBytes,
    overflowRetentionDays: tools.overflow.retentionDays,
    summariseOutput: tools.summarizeOutput,
    resultCache: tools.resultCache.enabled ? tools.resultCache : undefined,
    anomaly: tools.anomaly.enabled ? tools.anomaly : undefined,
    alertsTo: config.logging.alertsTo,
    budgets: budgetsOf(config),
    prices,
  }
}

function budgetsOf({ budgets }: Config): CoreSettings['budgets'] {
  const { warnAt, exempt, caller, session } = budgets
  const toLimits = ({ toolCallsPerDay, tokensPerDay, costPerDay }: typeof caller) => ({
    toolCalls: toolCallsPerDay,
    tokens: tokensPerDay,
    cost: costPerDay,
  })
  return { warnAt, exempt, caller: toLimits(caller), session: toLimits(session) }
}

function approversOf({ approval }: Config): CoreSettings['approvers'] {
  const { allowSelf, roles, people, quorum } = approval
  return { allowSelf, roles, people, quorum }
}

function routingOf({ approval }: Config): CoreSettings['routing'] {
  const { route, channel, escalateTo, escalateAfterMs } = approval
  return {
    route,
    channel,
    escalateTo,
    escalateAfterMs: escalateAfterMs === 0 ? undefined : escalateAfterMs,
  }
}
