import type { Embedder } from '../../ports/embedder.ts'
import type { Model } from '../../ports/model.ts'
import type { HideSecrets } from '../../rules/gate/review/shown-arguments.ts'
import type { CallContext } from '../call/gate/call-context.ts'

/** POL-05: reviewer of calls. */
export interface Reviewer {
  readonly model: Model
  /** The operator's review policy, as text. */
  readonly policy: string | undefined
  /** Time limit of one review. */
  readonly timeoutMs: number
  /** Removes secrets from what it is shown. */
  readonly hideSecrets: HideSecrets
}

/** Dependencies for advancing a turn. */
export interface TurnContext extends CallContext {
  readonly model: Model
  /** MODEL-04: second model, for turns in which `model` failed. */
  readonly fallback?: Model
  /** CHAT-03: models people can choose, by the operator's names. */
  readonly choices?: ReadonlyMap<string, Model>
  /** Set whenever `reviews` is. */
  readonly reviewer?: Reviewer
  /** SCH-02: embeddings for selecting tools; absent: none configured or offered by the provider. */
  readonly embedder?: Embedder
  /** Id of this process as lease holder; new for every process. */
  readonly agentId: string
  /** Public key for this agent's live events: Ed25519, SPKI PEM. */
  readonly liveKey: string
  /** Running model calls by turn, aborted by `/stop`. */
  readonly runningModelCalls: Map<string, AbortController>
}
