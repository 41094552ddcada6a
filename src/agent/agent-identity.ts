import { generateKeyPair } from '../rules/jobs/keys.ts'
import { createEventSigner, type SignEvent } from '../rules/jobs/live.ts'
import { createSigner } from '../rules/jobs/sign.ts'
import { newId } from '../util/new-id.ts'

/** Who this agent is to the other processes, and how they know what it says live. Lives as long as the process. */
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
