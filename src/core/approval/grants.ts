import type { FileGrantRow } from '../../db/approval/file-grants.ts'
import { findLiveGrants, type GrantRow, revokeGrant } from '../../db/approval/grants.ts'
import { nameOf } from '../../db/people/callers.ts'
import type { Db } from '../../db/schema.ts'
import { lockSession } from '../../db/turn/sessions.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Messages } from '../../domain/messages/messages.ts'
import type { RevokeButton } from '../../ports/chat.ts'
import { makeVisible } from '../../rules/gate/visible.ts'
import { shorten } from '../../util/text/shorten.ts'
import { record } from '../audit/record.ts'
import type { CoreContext } from '../context.ts'
import type { Connected } from '../transaction.ts'
import { type Decided, mayDecide } from './decide/settle-decision.ts'

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
  const messages = ctx.messages.grants
  await lockSession(db, grant.session_id)
  if (!(await mayDecide(db, by, grant.caller_id))) {
    const owner = await nameOf(db, grant.caller_id)
    return { kind: 'forbidden', text: messages.ownerOnly({ owner }) }
  }
  const revoked = await revokeGrant(db, grant.id, by.id)
  if (revoked === undefined) return { kind: 'late', text: messages.ended }
  await record(db, {
    kind: 'command',
    chain: grant.session_id,
    session_id: grant.session_id,
    tool: grant.tool,
    caller_id: by.id,
    ...(grant.approval_id === null ? {} : { approval_id: grant.approval_id }),
    note: ctx.redact(`taken back from ${grant.caller_id}: ${grant.pattern}`),
  })
  return { kind: 'applied', text: messages.revoked(grant) }
}

/** List of grants as shown in a notice. */
export interface GrantList {
  readonly text: string
  readonly quoted?: string
  readonly revokes?: readonly RevokeButton[]
}

/** Lists the live grants of a session, of one caller or of everybody. */
export async function listSessionGrants(
  { ctx, db }: Connected,
  sessionId: string,
  callerId: string | undefined,
): Promise<GrantList> {
  const isOfAll = callerId === undefined
  const grants = await findLiveGrants(db, sessionId, isOfAll ? {} : { callerId })
  const [first] = grants
  const { noneInSession, noneOfYours, ofSession, yours } = ctx.messages.grants
  if (first === undefined) return { text: isOfAll ? noneInSession : noneOfYours }
  const lines: string[] = []
  for (const grant of grants) lines.push(await describe({ ctx, db }, grant, isOfAll))
  return {
    text: isOfAll ? ofSession(first) : yours(first),
    quoted: lines.join('\n'),
    revokes: grants.map(({ id, number }) => ({
      label: String(number),
      grant: { kind: 'session', id },
    })),
  }
}

/** Lists the rules that *Always* wrote into a worker's rules; `note`: text of the comment beside the rule. */
export function listFileGrants(
  { grants: messages }: Messages,
  worker: string,
  rules: readonly { readonly row: FileGrantRow; readonly note: string }[],
): GrantList {
  const [first] = rules
  if (first === undefined) return { text: messages.noRules({ worker }) }
  return {
    text: messages.rules({ worker, number: first.row.number }),
    quoted: rules.map(({ row, note }) => entry(`w${row.number}`, row, oneLine(note))).join('\n'),
    revokes: rules.map(({ row: { id, number } }) => ({
      label: `w${number}`,
      grant: { kind: 'file', id },
    })),
  }
}

async function describe(
  { ctx, db }: Connected,
  grant: GrantRow,
  isOfAll: boolean,
): Promise<string> {
  const { grants: messages, clock } = ctx.messages
  const time = clock.time(grant.created_at, new Date())
  const about = [
    ...(isOfAll ? [messages.forWhom({ name: await nameOf(db, grant.caller_id) })] : []),
    messages.grantedBy({ name: await nameOf(db, grant.granted_by), time }),
  ].join(', ')
  return entry(String(grant.number), grant, `${endOf(ctx.messages, grant)}; ${about}`)
}

function endOf(
  { grants: messages, clock }: Messages,
  { turn_id, expires_at, uses_left }: GrantRow,
): string {
  if (expires_at !== null) return messages.until({ time: clock.time(expires_at, new Date()) })
  if (uses_left !== null) return messages.usesLeft({ count: uses_left })
  return turn_id === null ? messages.untilClear : messages.forTurn
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
