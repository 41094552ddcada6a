import type { AuditLogTable } from '../../db/tables/audit.ts'
import { toStorable } from '../../util/text/storable.ts'

/** The columns that repeat what a row's text says, so that it can be searched. */
export type AuditColumns = Pick<
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

/** One way to fill them and to check them: what does not fit a column is left out of it. */
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
 * Of the checks that said what the verdict is, the first that names a rule; else the first. A policy or a review that lets a
 * call go on does not decide it (POL-01, POL-05).
 */
function deciderOf(trace: unknown, verdict: unknown): Readonly<Record<string, unknown>> {
  const spoken = Array.isArray(trace) ? trace.map((entry) => ({ ...entry })) : []
  const agreed = spoken.filter(
    ({ action, check }) => action === verdict && !(action === 'allow' && decidesNothing.has(check)),
  )
  return agreed.find(({ rule }) => typeof rule === 'string') ?? agreed[0] ?? {}
}

/** Where they allow. */
const decidesNothing: ReadonlySet<unknown> = new Set(['policy', 'adversarial'])

const longestRule = 200

/** An index holds it. */
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
