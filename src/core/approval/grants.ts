import type { FileGrantRow } from '../../db/approval/file-grants.ts'
import { findLiveGrants, type GrantRow, revokeGrant } from '../../db/approval/grants.ts'
import { nameOf } from '../../db/people/callers.ts'
import type { Db } from '../../db/schema.ts'
import { lockSession } from '../../db/turn/sessions.ts'
import type { Caller } from '../../domain/caller.ts'
import type { RevokeButton } from '../../ports/chat.ts'
import { makeVisible } from '../../rules/gate/visible.ts'
import { utcTime } from '../../util/text/clock-time.ts'
import { shorten } from '../../util/text/shorten.ts'
import { record } from '../audit/record.ts'
import type { CoreContext } from '../context.ts'
import { type Decided, mayDecide } from './decide/may-answer.ts'

const longestPattern = 200

/**
 * APPR-15: revokes a grant for its owner, an approver or an operator. Takes effect at once: allowed calls that were not sent are
 * evaluated again (POL-06). Takes the session's lock first.
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

/** List of grants as shown in a notice. */
export interface GrantList {
  readonly text: string
  readonly quoted?: string
  readonly revokes?: readonly RevokeButton[]
}

/** Lists the live grants of a session, of one caller or of everybody. */
export async function listSessionGrants(
  db: Db,
  sessionId: string,
  callerId: string | undefined,
): Promise<GrantList> {
  const grants = await findLiveGrants(db, sessionId, callerId === undefined ? {} : { callerId })
  const whose = callerId === undefined ? 'this session' : 'you in this session'
  if (grants.length === 0) return { text: `Nothing was allowed to ${whose} that still holds.` }
  const lines: string[] = []
  for (const grant of grants) lines.push(await describe(db, grant, callerId === undefined))
  return {
    text: `Allowed to ${whose}; /revoke ${grants[0]?.number} takes the first one back:`,
    quoted: lines.join('\n'),
    revokes: grants.map(({ id, number }) => ({
      label: String(number),
      grant: { kind: 'session', id },
    })),
  }
}

/** Lists the rules that *Always* wrote into a worker's rules; `note`: text of the comment beside the rule. */
export function listFileGrants(
  worker: string,
  rules: readonly { readonly row: FileGrantRow; readonly note: string }[],
): GrantList {
  const [first] = rules
  if (first === undefined) return { text: `“Always” wrote no rule for the worker ${worker}.` }
  return {
    text: `Rules that “Always” wrote for everybody, worker ${worker}; /revoke w${first.row.number} takes the first one out:`,
    quoted: rules.map(({ row, note }) => entry(`w${row.number}`, row, oneLine(note))).join('\n'),
    revokes: rules.map(({ row: { id, number } }) => ({
      label: `w${number}`,
      grant: { kind: 'file', id },
    })),
  }
}

async function describe(db: Db, grant: GrantRow, isOfAll: boolean): Promise<string> {
  const by = await nameOf(db, grant.granted_by)
  const whose = isOfAll ? `for ${await nameOf(db, grant.caller_id)}, ` : ''
  const given = `by ${by}, ${utcTime(grant.created_at, new Date())}`
  return entry(String(grant.number), grant, `${endOf(grant)}; ${whose}${given}`)
}

function endOf({ turn_id, expires_at, uses_left }: GrantRow): string {
  if (expires_at !== null) return `until ${utcTime(expires_at, new Date())}`
  if (uses_left !== null) return uses_left === 1 ? '1 use left' : `${uses_left} uses left`
  return turn_id === null ? 'until /clear' : 'for this turn'
}

function entry(
  label: string,
  { tool, pattern }: { readonly tool: string; readonly pattern: string },
  words: string,
): string {
  return `${label}  ${oneLine(tool)}  ${shorten(oneLine(pattern), longestPattern)}\n    ${words}`
}

/** Escapes line breaks in foreign text, so that it cannot start a line of the list. */
function oneLine(text: string): string {
  return makeVisible(text).replaceAll('\n', '⟨U+000A⟩')
}
