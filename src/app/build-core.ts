import type { AgentIdentity } from '../agent/agent-identity.ts'
import type { Config } from '../config/config.ts'
import { UnenrolledWorkers } from '../core/call/gate/call-context.ts'
import type { CoreContext, CoreSettings } from '../core/context.ts'
import { ToolCatalogue } from '../core/mcp/tool-catalogue.ts'
import type { TurnContext } from '../core/turn/turn-context.ts'
import type { Db } from '../db/schema.ts'
import { localZone } from '../domain/messages/language.ts'
import { messagesOf } from '../domain/messages/messages.ts'
import type { Observer } from '../ports/observer.ts'
import type { Signals } from '../ports/signals.ts'
import { allTools, createRegistry } from '../rules/tools/registry.ts'
import type { ToolSpec } from '../rules/tools/tool-spec.ts'
import type { Log } from '../util/log.ts'
import { gatePartsOf, reviewerOf } from './gate-parts.ts'
import type { AgentKeys } from './keys/load-keys.ts'
import { createProductRedactor } from './logs/create-product-redactor.ts'
import type { Models } from './open-models.ts'
import { openPermissions } from './open-permissions.ts'
import { openShadowRules } from './open-shadow-rules.ts'
import { peopleOf } from './people-of.ts'
import { toolViewOf } from './settings/reviewing-model.ts'

interface CoreParts {
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
    messages: messagesOf(config.chat.language, config.chat.timeZone ?? localZone()),
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
    learnAfter: approval.learnAfter,
    hasDigest: approval.weeklyDigest,
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

interface ContextParts extends CoreParts {
  readonly models: Models
  readonly keys: AgentKeys
  readonly identity: AgentIdentity
  /** Absent: the built-in ones. */
  readonly tools?: readonly ToolSpec[]
}

/** Everything the core decides by, from the configuration. Throws when the operator's rules cannot be read. */
export function buildContext(parts: ContextParts): TurnContext {
  const { config, keys, identity } = parts
  const { reviewer, ...models } = parts.models
  const { tools } = createRegistry(parts.tools ?? allTools)
  return {
    ...buildCore(parts),
    ...models,
    ...reviewerOf(config, reviewer),
    signer: keys.signer,
    enrolmentSecret: keys.enrolmentSecret,
    unenrolledWorkers: new UnenrolledWorkers(),
    tools,
    catalogue: new ToolCatalogue(tools),
    callsInText: [models.model, models.fallback, ...(models.choices?.values() ?? [])].some(
      (model) => model?.nativeTools === false || model?.doubt !== undefined,
    ),
    ...openPermissions(config, parts.db),
    ...openShadowRules(config, parts.log),
    ...gatePartsOf(config),
    agentId: identity.agentId,
    liveKey: identity.publicKeyPem,
    runningModelCalls: new Map(),
  }
}
