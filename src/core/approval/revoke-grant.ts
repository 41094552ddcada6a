import { type GrantRow, revokeGrant } from '../../db/approval/grants.ts'
import { nameOf } from '../../db/people/callers.ts'
import type { Db } from '../../db/schema.ts'
import { lockSession } from '../../db/turn/sessions.ts'
import type { Caller } from '../../domain/caller.ts'
import { record } from '../audit/record.ts'
import type { CoreContext } from '../context.ts'
import type { Decided } from './decide/decided.ts'
import { mayDecide } from './decide/may-answer.ts'

/**
 * APPR-15: a grant is taken back by whoever it is for, an approver or an operator. It counts at once: calls that it allowed
 * and that were not sent are judged again (POL-06). Takes the session's lock first.
 */
export async function takeBack(
  ctx: CoreContext,
  db: Db,
  grant: GrantRow,
  by: Caller,
): Promise<Decided> {
  await lockSession(db, grant.session_id)
  if (!(await mayDecide(db, by, grant.caller_id))) {
    const owner = await nameOf(db, grant.caller_id)
    return { kind: 'forbidden', text: `Only ${owner}, or an approver, can take that back.` }
  }
  const revoked = await revokeGrant(db, grant.id, by.id)
  if (revoked === undefined) return { kind: 'late', text: 'That grant is over already.' }
  await record(db, {
    kind: 'command',
    chain: grant.session_id,
    session_id: grant.session_id,
    tool: grant.tool,
    caller_id: by.id,
    ...(grant.approval_id === null ? {} : { approval_id: grant.approval_id }),
    note: ctx.redact(`taken back from ${grant.caller_id}: ${grant.pattern}`),
  })
  const text = `Grant ${grant.number} (${grant.tool}) is taken back; the like of it asks again.`
  return { kind: 'applied', text }
}
