import type { AuditLogTable } from '../../db/tables/audit.ts'
import { sha256 } from '../../util/digest.ts'
import { toStorable } from '../../util/text/storable.ts'

/** Columns that repeat fields of a row's body for searching. */
type AuditColumns = Pick<
  AuditLogTable,
  | 'session_id'
  | 'turn_id'
  | 'call_id'
  | 'tool'
  | 'caller_id'
  | 'verdict'
  | 'result'
  | 'approval_id'
  | 'approval_state'
  | 'decided_by'
  | 'asked_at'
  | 'answered_at'
  | 'error_category'
  | 'duration_ms'
  | 'said_by'
  | 'rule'
  | 'hosts'
>

/** Derives the columns from the body, for writing and for verifying; a value that does not fit its column becomes null. */
export function auditColumns(fields: Readonly<Record<string, unknown>>): AuditColumns {
  const decider = deciderOf(fields['trace'], fields['verdict'])
  return {
    session_id: text(fields['session_id']),
    turn_id: text(fields['turn_id']),
    call_id: text(fields['call_id']),
    tool: text(fields['tool']),
    caller_id: text(fields['caller_id']),
    verdict: text(fields['verdict']),
    result: text(fields['result']),
    approval_id: uuid(fields['approval_id']),
    approval_state: text(fields['approval_state']),
    decided_by: text(fields['decided_by']),
    asked_at: time(fields['asked_at']),
    answered_at: time(fields['answered_at']),
    error_category: text(fields['error_category']),
    duration_ms: milliseconds(fields['duration_ms']),
    said_by: text(decider['check']),
    rule: cut(text(decider['rule'])),
    hosts: texts(fields['hosts']),
  }
}

/**
 * Returns the first check behind the verdict that names a rule, otherwise the first check. A policy or review that lets a call
 * continue does not decide it (POL-01, POL-05).
 */
function deciderOf(trace: unknown, verdict: unknown): Readonly<Record<string, unknown>> {
  const spoken = Array.isArray(trace) ? trace.map((entry) => ({ ...entry })) : []
  const agreed = spoken.filter(
    ({ action, check }) => action === verdict && !(action === 'allow' && decidesNothing.has(check)),
  )
  return agreed.find(({ rule }) => typeof rule === 'string') ?? agreed[0] ?? {}
}

/** Checks whose "allow" only lets a call continue. */
const decidesNothing: ReadonlySet<unknown> = new Set(['policy', 'adversarial'])

const longestRule = 200

/** Cuts a value to fit an index. */
function cut(value: string | null): string | null {
  return value === null ? null : [...value].slice(0, longestRule).join('')
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? toStorable(value) : null
}

function uuid(value: unknown): string | null {
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
  return typeof value === 'string' && isUuid.test(value) ? value : null
}

function time(value: unknown): Date | null {
  const isTime = typeof value === 'string' && /^\d{4}-.*Z$/.test(value)
  return isTime && !Number.isNaN(Date.parse(value)) ? new Date(value) : null
}

const mostMs = 2 ** 31 - 1

function milliseconds(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null
  return Math.max(Math.min(Math.round(value), mostMs), 0)
}

function texts(value: unknown): string[] | null {
  if (!Array.isArray(value)) return null
  return value.filter((entry) => typeof entry === 'string').map(toStorable)
}

/** Computes the hash that ties an audit row to the previous one of its chain. */
export function linkHash(previous: string, chain: string, seq: number, body: string): string {
  return sha256(`${previous}\n${chain}\n${seq}\n${body}`)
}

/** Signs text with the agent's key. */
export interface TextSigner {
  readonly kid: string
  signText(text: string): string
}

/** Checks a signature by its key id: true, false, or undefined where the key is not known here. */
export type CheckSignature = (kid: string, body: string, signature: string) => boolean | undefined

/** Position at which a chain breaks. */
export interface BrokenLink {
  readonly chain: string
  readonly seq: number
  readonly why: string
}

/** Position in a chain and the hash of its row. */
export interface ChainPosition {
  readonly seq: number
  readonly hash: string
}
