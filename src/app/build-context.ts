import type { AgentIdentity } from '../agent/agent-identity.ts'
import { UnenrolledWorkers } from '../core/call/gate/unenrolled-workers.ts'
import type { TurnContext } from '../core/turn/turn-context.ts'
import { allTools, createRegistry } from '../rules/tools/registry.ts'
import type { ToolSpec } from '../rules/tools/tool-spec.ts'
import { buildCore, type CoreParts } from './build-core.ts'
import { gatePartsOf } from './gate-parts.ts'
import type { AgentKeys } from './keys/load-keys.ts'
import type { Models } from './open-models.ts'
import { openPermissions } from './open-permissions.ts'
import { openShadowRules } from './open-shadow-rules.ts'
import { reviewerOf } from './review-rules.ts'

export interface ContextParts extends CoreParts {
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
  return {
    ...buildCore(parts),
    ...models,
    ...reviewerOf(config, reviewer),
    signer: keys.signer,
    enrolmentSecret: keys.enrolmentSecret,
    unenrolledWorkers: new UnenrolledWorkers(),
    tools: createRegistry(parts.tools ?? allTools).tools,
    callsInText: [models.model, models.fallback, ...(models.choices?.values() ?? [])].some(
      (model) => model?.nativeTools === false || model?.doubt !== undefined,
    ),
    ...openPermissions(config, parts.db),
    ...openShadowRules(config, parts.log),
    ...gatePartsOf(config),
    agentId: identity.agentId,
    liveKey: identity.publicKeyPem,
    underWay: new Map(),
  }
}
