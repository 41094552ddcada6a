import type { Config } from '../config/config.ts'
import { createRulesCache } from '../core/call/rules-cache.ts'
import { Strangers } from '../core/call/strangers.ts'
import type { TurnKernel } from '../core/turn/turn-kernel.ts'
import { createFilePermissionsStore } from '../edges/permissions/file-store.ts'
import type { Model } from '../ports/model.ts'
import { defaultPermissions } from '../rules/gate/permissions/default-permissions.ts'
import { operatorLayer } from '../rules/gate/permissions/operator-layer.ts'
import type { RuleLayer } from '../rules/gate/permissions/rule.ts'
import { allTools } from '../rules/tools/registry.ts'
import type { AgentVoice } from './agent-voice.ts'
import { allowedPathsOf } from './allowed-paths.ts'
import { buildCore, type CoreParts } from './build-core.ts'
import type { AgentKeys } from './load-keys.ts'
import { protectedPathsOf } from './protected-paths.ts'
import { webRulesOf } from './web-rules-of.ts'

export interface KernelParts extends CoreParts {
  readonly model: Model
  readonly keys: AgentKeys
  readonly voice: AgentVoice
}

/** Everything the core decides by, from the configuration. Throws when the operator's rules cannot be read. */
export function buildKernel(parts: KernelParts): TurnKernel {
  const { config, model, keys, voice } = parts
  const { file, shell } = config.tools
  return {
    ...buildCore(parts),
    model,
    signer: keys.signer,
    enrolmentSecret: keys.enrolmentSecret,
    strangers: new Strangers(),
    tools: allTools,
    permissions: createFilePermissionsStore({
      dataDir: config.dataDir,
      seed: defaultPermissions,
    }),
    parseRules: createRulesCache(),
    operator: operatorOf(config),
    web: webRulesOf(config),
    files: {
      allowed: allowedPathsOf(config, file.allowedPaths),
      denyRead: file.denyRead,
      allowRead: file.allowRead,
    },
    commands: {
      allowed: allowedPathsOf(config, shell.allowedPaths),
      network: shell.allowNetwork,
    },
    protectedPaths: protectedPathsOf(config),
    agentId: voice.agentId,
    liveKey: voice.publicKeyPem,
    underWay: new Map(),
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
