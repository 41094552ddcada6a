import { appendAudit, lockHead } from '../../db/audit-log.ts'
import type { Db } from '../../db/schema.ts'
import type { AuditEvent } from '../../domain/audit-event.ts'
import { canonicalJson } from '../../util/canonical-json.ts'
import { toStorable } from '../../util/storable.ts'
import { linkHash } from './link-hash.ts'

/** Adds a row at the end of its chain (AUD-02). In the caller's transaction: what is not recorded does not happen. */
export async function record(db: Db, event: AuditEvent): Promise<void> {
  const head = await lockHead(db, event.chain)
  const { at } = head
  const body = toStorable(canonicalJson({ ...event, at: at.toISOString() }))
  const seq = head.seq + 1
  await appendAudit(db, {
    chain: event.chain,
    seq,
    previous_hash: head.hash,
    hash: linkHash(head.hash, event.chain, seq, body),
    at,
    kind: event.kind,
    session_id: event.session_id ?? null,
    turn_id: event.turn_id ?? null,
    call_id: event.call_id ?? null,
    tool: event.tool === undefined ? null : toStorable(event.tool),
    caller_id: event.caller_id ?? null,
    verdict: event.verdict ?? null,
    result: event.result ?? null,
    body,
  })
}
