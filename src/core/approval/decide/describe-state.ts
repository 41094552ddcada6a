import { nameOf } from '../../../db/people/callers.ts'
import type { ApprovalRow, Db } from '../../../db/schema.ts'
import { getTurn } from '../../../db/turn/turns.ts'
import { grantWords } from '../../../domain/grant-life.ts'
import { assertNever } from '../../../util/assert-never.ts'
import { utcTime } from '../../../util/text/clock-time.ts'

/** Who decided what, and when: for a tap that comes too late (APPR-04). */
export async function describeState(db: Db, approval: ApprovalRow): Promise<string> {
  const at = approval.decided_at === null ? '' : when(approval.decided_at)
  const by = approval.decided_by === null ? '' : ` by ${await nameOf(db, approval.decided_by)}`
  switch (approval.state) {
    case 'pending':
      return 'This question still waits.'
    case 'approved':
      return `Already approved${by}${at}${lifeOf(approval)}.`
    case 'denied':
      return `Already denied${by}${at}.`
    case 'granted':
      return `A rule made with “Always” allowed it${at}.`
    case 'expired':
      return `This question expired${at}.`
    case 'superseded':
      return 'This question was replaced by a newer one.'
    case 'cancelled': {
      const turn = await getTurn(db, approval.turn_id)
      if (turn.stopped_by !== null) return `Stopped by ${turn.stopped_by}${at}.`
      return turn.state === 'stopped' ? `Cancelled${at}: ${turn.failure}.` : `Cancelled${at}.`
    }
    default:
      return assertNever(approval.state)
  }
}

function lifeOf({ life }: ApprovalRow): string {
  return life === null ? '' : `, ${grantWords[life]}`
}

function when(time: Date): string {
  const words = utcTime(time, new Date())
  return `${/^\d\d:/.test(words) ? ' at' : ' on'} ${words}`
}
