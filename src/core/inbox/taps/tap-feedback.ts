import { countVerdicts, findVerdicts } from '../../../db/audit/audit-feedback.ts'
import type { Db } from '../../../db/schema.ts'
import { findTurn } from '../../../db/turn/turns.ts'
import type { Caller } from '../../../domain/caller.ts'
import type { TapAnswer } from '../../../ports/chat.ts'
import { record } from '../../audit/record.ts'
import type { InboundBody } from '../inbound.ts'
import type { InboxContext } from '../inbox-context.ts'

/** Maximum ratings of one answer by a person: allows changes of mind without filling the audit. */
const mostOfOne = 10

/** SLACK-05: records a person's rating of an answer in the audit, without further effect; the last one counts. */
export async function tapFeedback(
  { settings, messages: { inbox: messages } }: Pick<InboxContext, 'settings' | 'messages'>,
  db: Db,
  caller: Caller,
  { turnId, verdict }: Extract<InboundBody, { kind: 'feedback' }>,
): Promise<TapAnswer> {
  const thanks: TapAnswer = { text: messages.thanks, alert: false }
  const turn = await findTurn(db, turnId)
  if (turn === undefined) return { text: messages.answerGone, alert: true }
  const about = { turnId, callerId: caller.id, since: turn.created_at }
  const said = await findVerdicts(db, about, mostOfOne)
  if (said[0] === verdict) return thanks
  if (said.length >= mostOfOne) {
    return { text: messages.tooManyRatings, alert: true }
  }
  const { messagesPerMinute = Infinity } = settings
  if ((await countVerdicts(db, caller.id)) >= messagesPerMinute) {
    return { text: messages.tooManyRequests, alert: true }
  }
  await record(db, {
    kind: 'feedback',
    chain: turn.session_id,
    session_id: turn.session_id,
    turn_id: turn.id,
    caller_id: caller.id,
    note: verdict,
  })
  return thanks
}
