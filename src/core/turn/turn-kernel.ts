import type { Model } from '../../ports/model.ts'
import type { CallKernel } from '../call/call-kernel.ts'

/** What carrying a turn forward needs. */
export interface TurnKernel extends CallKernel {
  readonly model: Model
  /** MODEL-04: goes on with a turn in which `model` failed. */
  readonly fallback?: Model
  /** Names this agent as the holder of leases; new with every process. */
  readonly agentId: string
  /** Verifies what this agent says live: Ed25519, SPKI PEM. */
  readonly liveKey: string
  /** Model calls under way here, by turn: `/stop` aborts them. */
  readonly underWay: Map<string, AbortController>
}
