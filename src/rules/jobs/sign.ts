import { createPublicKey, sign } from 'node:crypto'
import { canonicalJson } from '../../util/canonical-json.ts'
import { sha256 } from '../../util/sha256.ts'
import type { JobHeader, SignedJob, SignedMessage, WorkerMessage } from './contract.ts'
import { keyId, parsePrivateKey, toPublicPem } from './keys.ts'

/** DECISIONS 15: how long after signing a job may still be started, in seconds. */
const jobLifetimeSeconds = 900
/** How far the clocks of agent and worker may differ, in seconds. */
export const clockSkewSeconds = 60
/** A job that was signed so long ago is begun by nobody, in milliseconds. */
export const longestJobMs = (jobLifetimeSeconds + clockSkewSeconds) * 1_000

/** A job that was signed more recently has expired for no worker whose clock is right, in milliseconds. */
export const shortestJobMs = (jobLifetimeSeconds - clockSkewSeconds) * 1_000

/** Holds one Ed25519 private key and signs text with it. */
export interface Signer {
  readonly kid: string
  readonly publicKeyPem: string
  /** The base64 signature over the UTF-8 bytes of `text`. */
  sign(text: string): string
}

/** What the caller of `signJob` knows; the rest of the header is filled in here. */
export type JobFacts = Omit<JobHeader, 'kid' | 'v' | 'iat' | 'exp' | 'argumentsSha256'>

/** A signer over a private key in PEM; throws when the key is not Ed25519. */
export function createSigner(privateKeyPem: string): Signer {
  const privateKey = parsePrivateKey(privateKeyPem)
  const publicKey = createPublicKey(privateKey)
  return {
    kid: keyId(publicKey),
    publicKeyPem: toPublicPem(publicKey),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64'),
  }
}

/** PROC-02: signs a job over everything that decides what runs, the digest of the exact argument text included. */
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

/** Signs what a replica tells the agent (threat 5). */
export function signMessage(signer: Signer, message: WorkerMessage): SignedMessage {
  const body = canonicalJson(message)
  return { body, signature: signer.sign(body) }
}
