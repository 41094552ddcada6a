import type { ApprovalRow, Db } from '../../db/schema.ts'
import type { AuditEvent } from '../../domain/audit-event.ts'
import { record } from '../audit/record.ts'

/** What somebody did about a question, beside deciding it, as a row of the audit. */
export async function recordAbout(
  db: Db,
  { id, session_id, turn_id, call_id, tool }: ApprovalRow,
  did: Pick<AuditEvent, 'arguments'> & { readonly caller_id: string; readonly note: string },
): Promise<void> {
  const about = { session_id, turn_id, call_id, tool, approval_id: id }
  await record(db, { kind: 'command', chain: session_id, ...about, ...did })
}
