import { record } from '../../../src/core/audit/record.ts'
import type { Db } from '../../../src/db/schema.ts'
import type { AuditEvent } from '../../../src/domain/audit-event.ts'
import { newId } from '../../../src/util/ids.ts'

/** Inserts a session's chain, as the core writes it. */
export interface RecordedSession {
  readonly id: string
  /** Inserts a decision and its result; returns the call's id. */
  call(call?: Partial<AuditEvent>): Promise<string>
  /** Inserts one row of a call. */
  row(event: Partial<AuditEvent> & Pick<AuditEvent, 'kind'>): Promise<void>
}

export function recordedSession(db: Db): RecordedSession {
  const id = newId()
  const base = { chain: id, session_id: id, turn_id: newId(), caller_id: 'console:ada' }
  const row: RecordedSession['row'] = (event) => {
    const tool = event.call_id === undefined ? {} : { tool: 'bash' }
    return db
      .transaction()
      .execute((transaction) => record(transaction, { ...base, ...tool, ...event }))
  }
  return {
    id,
    row,
    call: async (call = {}) => {
      const call_id = call.call_id ?? newId()
      const { verdict = 'allow', arguments: args = '{"command":"ls"}', ...rest } = call
      const { decided_by, approval_id, asked_at, answered_at, ...end } = rest
      const approval = {
        ...(approval_id !== undefined && { approval_id }),
        ...(asked_at !== undefined && { asked_at }),
        ...(answered_at !== undefined && { answered_at }),
      }
      const who =
        decided_by === undefined ? {} : { decided_by, approval_state: 'approved', ...approval }
      const identity = { tool: end.tool ?? 'bash', caller_id: end.caller_id ?? 'console:ada' }
      await row({ ...identity, kind: 'decided', call_id, verdict, arguments: args, ...who })
      await row({
        result: 'success',
        exit_code: 0,
        duration_ms: 12,
        ...end,
        call_id,
        kind: 'settled',
      })
      return call_id
    },
  }
}
