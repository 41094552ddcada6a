import { type KeyObject, verify } from 'node:crypto'
import { sha256 } from '../../util/digest.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import {
  type JobHeader,
  jobHeader,
  type SignedJob,
  signedJob,
  signedMessage,
  type WorkerMessage,
  workerMessage,
} from './contract.ts'
import { parsePublicKey } from './keys.ts'
import { clockSkewSeconds } from './sign.ts'

export interface JobCheck {
  /** Public keys of the agents, by key id. */
  readonly verifyKeys: ReadonlyMap<string, KeyObject>
  /** Name of this worker; jobs for other workers are refused. */
  readonly worker: string
  readonly nowSeconds: number
}

export type VerifiedJob =
  | {
      readonly kind: 'ok'
      readonly header: JobHeader
      readonly arguments: string
      readonly content?: string
    }
  /** `header` is present only if an agent signed it for this worker, so that the refusal may be answered. */
  | { readonly kind: 'refused'; readonly why: string; readonly header?: JobHeader }

/** Verifies that an agent signed the job for this worker, that it is complete and has not expired (PROC-02). Never throws. */
export function verifyJob(job: unknown, check: JobCheck): VerifiedJob {
  const signed = signedJob.safeParse(job)
  if (!signed.success) return refused('it is not a signed job')
  const header = jobHeader.safeParse(tryParseJson(signed.data.header))
  if (!header.success) return refused('its header does not follow the contract')
  const key = check.verifyKeys.get(header.data.kid)
  if (key === undefined) return refused('it is signed with an unknown key')
  if (!isSignedBy(key, signed.data.header, signed.data.signature)) {
    return refused('its signature is wrong')
  }
  if (header.data.worker !== check.worker) return refused('it is addressed to another worker')
  return verifyContent(signed.data, header.data, check.nowSeconds)
}

/** The reason for refusing a job that arrives, or would start, too late. */
export const expiredReason = 'it has expired'

/** Whether the job may no longer start (DECISIONS 15). */
export function hasExpired({ exp }: Pick<JobHeader, 'exp'>, nowSeconds: number): boolean {
  return exp + clockSkewSeconds < nowSeconds
}

export type VerifiedMessage =
  | { readonly kind: 'ok'; readonly message: WorkerMessage }
  | { readonly kind: 'refused'; readonly why: string }

/** Verifies the signature of a message with the public key (SPKI PEM) of a replica. Never throws. */
export function verifyMessage(signed: unknown, publicKeyPem: string): VerifiedMessage {
  const parsed = signedMessage.safeParse(signed)
  if (!parsed.success) return refused('it is not a signed message')
  const key = tryParseKey(publicKeyPem)
  if (key === undefined) return refused('the replica has no usable key')
  if (!isSignedBy(key, parsed.data.body, parsed.data.signature)) {
    return refused('its signature is wrong')
  }
  return parseBody(parsed.data.body)
}

/**
 * Parses a message without verifying it, to look up the sender's key or to take it from a `hello`. Act only on the result of
 * `verifyMessage`.
 */
export function peekMessage(signed: unknown): VerifiedMessage {
  const parsed = signedMessage.safeParse(signed)
  return parsed.success ? parseBody(parsed.data.body) : refused('it is not a signed message')
}

function verifyContent(job: SignedJob, header: JobHeader, nowSeconds: number): VerifiedJob {
  if (sha256(job.arguments) !== header.argumentsSha256) {
    return { ...refused('its arguments are not the signed ones'), header }
  }
  if (!isSignedContent(job.content, header)) {
    return { ...refused('its content is not the signed one'), header }
  }
  if (hasExpired(header, nowSeconds)) return { ...refused(expiredReason), header }
  if (header.iat - clockSkewSeconds > nowSeconds) {
    return { ...refused('it was signed in the future'), header }
  }
  const { content } = job
  return { kind: 'ok', header, arguments: job.arguments, ...(content !== undefined && { content }) }
}

/** Content and its digest must both be present, or both be absent. */
function isSignedContent(content: string | undefined, { contentSha256 }: JobHeader): boolean {
  if (content === undefined || contentSha256 === undefined) return content === contentSha256
  return sha256(Buffer.from(content, 'base64')) === contentSha256
}

function parseBody(body: string): VerifiedMessage {
  const message = workerMessage.safeParse(tryParseJson(body))
  if (!message.success) return refused('it does not follow the contract')
  return { kind: 'ok', message: message.data }
}

/** Verifies a signature. Only the canonical base64 spelling is accepted, so that a signature has one form. */
export function isSignedBy(key: KeyObject, text: string, signature: string): boolean {
  const bytes = Buffer.from(signature, 'base64')
  if (bytes.length !== 64 || bytes.toString('base64') !== signature) return false
  return verify(null, Buffer.from(text), key, bytes)
}

function refused(why: string): { readonly kind: 'refused'; readonly why: string } {
  return { kind: 'refused', why }
}

function tryParseKey(pem: string): KeyObject | undefined {
  try {
    return parsePublicKey(pem)
  } catch {
    return undefined
  }
}
