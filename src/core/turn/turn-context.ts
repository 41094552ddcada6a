import type { Embedder } from '../../ports/embedder.ts'
import type { Model } from '../../ports/model.ts'
import type { HideSecrets } from '../../rules/gate/review/shown-arguments.ts'
import type { CallContext } from '../call/gate/call-context.ts'

/** POL-05: who reviews calls. */
export interface Reviewer {
  readonly model: Model
  /** The operator's, in words. */
  readonly policy: string | undefined
  /** How long one review may take. */
  readonly timeoutMs: number
  /** Secrets are not shown to it. */
  readonly hideSecrets: HideSecrets
}

/** What carrying a turn forward needs. */
export interface TurnContext extends CallContext {
  readonly model: Model
  /** MODEL-04: goes on with a turn in which `model` failed. */
  readonly fallback?: Model
  /** CHAT-03: what people choose from, by the operator's names. */
  readonly choices?: ReadonlyMap<string, Model>
  /** There wherever `reviews` says that calls are reviewed. */
  readonly reviewer?: Reviewer
  /** SCH-02: finds the tools that fit a message; absent: the provider has none, or none is configured. */
  readonly embedder?: Embedder
  /** Names this agent as the holder of leases; new with every process. */
  readonly agentId: string
  /** Verifies what this agent says live: Ed25519, SPKI PEM. */
  readonly liveKey: string
  /** Model calls under way here, by turn: `/stop` aborts them. */
  readonly underWay: Map<string, AbortController>
}
