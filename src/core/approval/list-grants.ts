import type { FileGrantRow } from '../../db/approval/file-grants.ts'
import { findLiveGrants, type GrantRow } from '../../db/approval/grants.ts'
import { nameOf } from '../../db/people/callers.ts'
import type { Db } from '../../db/schema.ts'
import type { RevokeButton } from '../../ports/chat.ts'
import { makeVisible } from '../../rules/gate/visible.ts'
import { utcTime } from '../../util/text/clock-time.ts'
import { shorten } from '../../util/text/shorten.ts'

/** A list of grants, as a notice shows it. */
export interface GrantList {
  readonly text: string
  readonly quoted?: string
  readonly revokes?: readonly RevokeButton[]
}

const longestPattern = 200

/** What holds in a session: of one caller, or of everybody. */
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

/** What *Always* wrote into a worker's rules; `note`: what the comment there says. */
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

/** Others' words: a line break in them begins no line of ours. */
function oneLine(text: string): string {
  return makeVisible(text).replaceAll('\n', '⟨U+000A⟩')
}
