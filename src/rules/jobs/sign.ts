import { createPublicKey, sign } from 'node:crypto'
import { canonicalJson } from '../../util/canonical-json.ts'
import { sha256 } from '../../util/digest.ts'
import type { JobHeader, SignedJob, SignedMessage, WorkerMessage } from './contract.ts'
import { keyId, parsePrivateKey, toPublicPem } from './keys.ts'

/** Time after signing in which a job may start, in seconds (DECISIONS 15). */
const jobLifetimeSeconds = 900
/** Maximum clock difference between agent and worker, in seconds. */
export const clockSkewSeconds = 60
/** Age from which no worker starts a job any more, in milliseconds. */
export const maxJobAgeMs = (jobLifetimeSeconds + clockSkewSeconds) * 1_000

/** Age up to which a job is valid for every worker with an accurate clock, in milliseconds. */
export const minJobLifetimeMs = (jobLifetimeSeconds - clockSkewSeconds) * 1_000

/** Signs text with one Ed25519 private key. */
export interface Signer {
  readonly kid: string
  readonly publicKeyPem: string
  /** Signature over the UTF-8 bytes of `text`, in base64. */
  sign(text: string): string
}

/** The header fields that the caller supplies; `signJob` adds the others. */
export type JobFacts = Omit<JobHeader, 'kid' | 'v' | 'iat' | 'exp' | 'argumentsSha256'>

/** Creates a signer from a private key in PEM; throws if it is not Ed25519. */
export function createSigner(privateKeyPem: string): Signer {
  const privateKey = parsePrivateKey(privateKeyPem)
  const publicKey = createPublicKey(privateKey)
  return {
    kid: keyId(publicKey),
    publicKeyPem: toPublicPem(publicKey),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64'),
  }
}

/** Signs a job: everything that determines what runs, including the digest of the exact argument text (PROC-02). */
export function signJob(
  signer: Signer,
  facts: JobFacts,
  argumentsText: string,
  nowSeconds: number,
): SignedJob {
  const header = canonicalJson({
    ...facts,
    v: 1,
    kid: signer.kid,
    argumentsSha256: sha256(argumentsText),
    iat: nowSeconds,
    exp: nowSeconds + jobLifetimeSeconds,
  } satisfies JobHeader)
  return { header, signature: signer.sign(header), arguments: argumentsText }
}

/** Signs a message from a replica to the agent (threat 5). */
export function signMessage(signer: Signer, message: WorkerMessage): SignedMessage {
  const body = canonicalJson(message)
  return { body, signature: signer.sign(body) }
}
