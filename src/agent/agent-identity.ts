import type { TextSigner } from '../core/audit/record.ts'
import { generateKeyPair } from '../rules/jobs/keys.ts'
import { createEventSigner, type SignEvent } from '../rules/jobs/live.ts'
import { createSigner, type Signer } from '../rules/jobs/sign.ts'
import { newId } from '../util/ids.ts'

/** This agent's identity and its key for signing live events. Lives as long as the process. */
export interface AgentIdentity {
  readonly agentId: string
  /** Ed25519, SPKI PEM; other processes read it from the database. */
  readonly publicKeyPem: string
  readonly signEvent: SignEvent
}

export function createAgentIdentity(): AgentIdentity {
  const agentId = newId()
  const signer = createSigner(generateKeyPair().privateKeyPem)
  const signEvent = createEventSigner(signer, { kind: 'agent', id: agentId })
  return { agentId, publicKeyPem: signer.publicKeyPem, signEvent }
}

/** Adapts the agent's key to sign audit text. */
export function toTextSigner({ kid, sign }: Signer): TextSigner {
  return { kid, signText: sign }
}
