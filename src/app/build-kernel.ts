import type { Config } from '../config/config.ts'
import { knownSecrets } from '../config/secrets.ts'
import { createRulesCache } from '../core/call/rules-cache.ts'
import type { CoreSettings } from '../core/kernel/kernel.ts'
import type { TurnKernel } from '../core/turn/turn-kernel.ts'
import type { Db } from '../db/schema.ts'
import { createFilePermissionsStore } from '../edges/permissions/file-store.ts'
import type { Model } from '../ports/model.ts'
import type { Signals } from '../ports/signals.ts'
import { defaultPermissions } from '../rules/gate/permissions/default-permissions.ts'
import { operatorLayer } from '../rules/gate/permissions/operator-layer.ts'
import type { RuleLayer } from '../rules/gate/permissions/rule.ts'
import { createRedactor } from '../rules/output/create-redactor.ts'
import { builtinTools } from '../rules/tools/registry.ts'
import type { Log } from '../util/log.ts'
import { newId } from '../util/new-id.ts'
import type { AgentKeys } from './load-keys.ts'
import { protectedPathsOf } from './protected-paths.ts'

export interface KernelParts {
  readonly config: Config
  readonly db: Db
  readonly signals: Signals
  readonly model: Model
  readonly keys: AgentKeys
  readonly log: Log
}

/** Everything the core decides by, from the configuration. Throws when the operator's rules cannot be read. */
export function buildKernel(parts: KernelParts): TurnKernel {
  const { config, db, signals, model, keys, log } = parts
  const secrets = knownSecrets(config).map((value) => ({ kind: 'own-secret', value }))
  const redactor = createRedactor(secrets)
  const { scrape, file } = config.tools
  return {
    db,
    signals,
    log,
    model,
    signer: keys.signer,
    enrolmentToken: keys.enrolmentToken,
    redact: (text) => redactor.redact(text).text,
    settings: settingsOf(config),
    tools: builtinTools,
    permissions: createFilePermissionsStore({
      dataDir: config.dataDir,
      seed: defaultPermissions,
    }),
    parseRules: createRulesCache(),
    operator: operatorOf(config),
    web: {
      allowedDomains: scrape.allowedDomains,
      deniedDomains: scrape.deniedDomains,
      allowedPorts: scrape.allowedPorts,
    },
    files: { allowed: file.allowedPaths, denyRead: file.denyRead, allowRead: file.allowRead },
    protectedPaths: protectedPathsOf(config),
    agentId: newId(),
    underWay: new Map(),
  }
}

function settingsOf(config: Config): CoreSettings {
  const { agent, approval, tools, worker, prices } = config
  return {
    worker: worker.name,
    maxToolIterations: agent.maxToolIterations,
    modelTimeoutMs: config.model.timeoutMs,
    maxToolCallsPerSession: tools.maxToolCallsPerSession,
    toolsEnabled: tools.enabled,
    approvalTtlMs: approval.ttlMs,
    remindAfterMs: approval.remindAfterMs === 0 ? undefined : approval.remindAfterMs,
    onExpiry: approval.onExpiry,
    workerGraceMs: worker.graceMs,
    shellTimeoutMs: tools.shell.timeoutMs,
    shellMaxTimeoutMs: tools.shell.maxTimeoutMs,
    overflowThreshold: tools.overflow.threshold,
    overflowMaxBytes: tools.overflow.maxOverflowBytes,
    overflowRetentionDays: tools.overflow.retentionDays,
    alertsTo: config.logging.alertsTo,
    prices,
  }
}

function operatorOf(config: Config): RuleLayer {
  const { permissions = {}, shell } = config.tools
  const lists = {
    blocked_commands: shell.blockedCommands,
    confirm_patterns: shell.confirmPatterns,
  }
  const hasSection = config.tools.permissions !== undefined
  const result = operatorLayer({ permissions, shell: lists }, hasSection)
  if (result.kind === 'layer') return result.layer
  throw new Error(result.problems.map((problem) => problem.message).join('\n'))
}
