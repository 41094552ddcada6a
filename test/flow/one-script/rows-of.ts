import { hasPendingOutgoing } from '../../../src/db/outbox/outbox.ts'
import { liveTurnStates } from '../../../src/domain/turn.ts'
import { auditRows } from '../../support/audit-rows.ts'
import { until } from '../../support/flow.ts'
import type { Mark } from './play.ts'
import type { Player } from './player.ts'
import { toNeutral } from './to-neutral.ts'

/** What a conversation left behind, by table, each row without what differs from one playing to the next. */
export type Rows = Readonly<Record<string, readonly unknown[]>>

/** The rows since a mark, in the order in which they came to be. Who, where, ids and times have neutral names. */
export async function rowsOf(player: Player, mark: Mark): Promise<Rows> {
  const { db } = player.flow
  await untilStill(player, mark)
  const sessions = await db
    .selectFrom('session')
    .selectAll()
    .where('conversation_id', '=', mark.conversationId)
    .where('id', '>=', mark.sessionId)
    .orderBy('id')
    .execute()
  const ids = sessions.map(({ id }) => id)
  const turns = await db
    .selectFrom('turn')
    .selectAll()
    .where('session_id', 'in', ids)
    .orderBy('id')
    .execute()
  const messages = await db
    .selectFrom('message')
    .selectAll()
    .where('session_id', 'in', ids)
    .orderBy('session_id')
    .orderBy('position')
    .execute()
  const calls = await db
    .selectFrom('tool_call')
    .selectAll()
    .where('session_id', 'in', ids)
    .orderBy('session_id')
    .orderBy('number')
    .execute()
  const approvals = await db
    .selectFrom('approval')
    .selectAll()
    .where('session_id', 'in', ids)
    .orderBy('session_id')
    .orderBy('number')
    .execute()
  const votes = await db
    .selectFrom('approval_vote')
    .innerJoin('approval', 'approval.id', 'approval_vote.approval_id')
    .selectAll('approval_vote')
    .where('session_id', 'in', ids)
    .orderBy('approval_vote.created_at')
    .execute()
  const grants = await db
    .selectFrom('grant_rule')
    .selectAll()
    .where('session_id', 'in', ids)
    .orderBy('number')
    .execute()
  const audit = await auditRows(db)
  const outbox = await outgoing(player, mark)
  const tables = { sessions, turns, messages, calls, approvals, votes, grants, audit, outbox }
  return toNeutral(tables, { player, mark })
}

/** An answer is shown while it is written, before it is a row. Only a question may keep a turn under way. */
function untilStill({ flow: { db } }: Player, { conversationId }: Mark): Promise<void> {
  return until('no turn moves', async () => {
    const moving = await db
      .selectFrom('turn')
      .innerJoin('session', 'session.id', 'turn.session_id')
      .select('turn.id')
      .where('session.conversation_id', '=', conversationId)
      .where('turn.state', 'in', liveTurnStates)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('approval')
              .select('approval.id')
              .whereRef('approval.turn_id', '=', 'turn.id')
              .where('approval.state', '=', 'pending'),
          ),
        ),
      )
      .execute()
    return moving.length === 0
  })
}

/** What people were told. Of what was changed since, how it reads at the end: edits that came too close are never sent. */
async function outgoing({ flow, standsForTap }: Player, { conversationId, outboxId }: Mark) {
  const { db } = flow
  await until('all is sent', async () => !(await hasPendingOutgoing(db, conversationId)))
  const rows = await db
    .selectFrom('outbox')
    .select(['id', 'edit_of', 'body', 'state', 'is_cut', 'failure'])
    .where('conversation_id', '=', conversationId)
    .where('id', '>', outboxId)
    .orderBy('id')
    .execute()
  return rows
    .filter(({ edit_of, body }) => edit_of === null && !standsForTap(textOf(body)))
    .map(({ id, body, state, is_cut, failure }) => ({
      ...{ body, state, is_cut, failure },
      last: rows.findLast(({ edit_of }) => edit_of === id)?.body ?? null,
    }))
}

function textOf(body: string): string {
  const message = JSON.parse(body)
  return message.kind === 'notice' ? message.text : ''
}
