import type { CoreSettings } from '../../../src/core/context.ts'
import { handleInbox } from '../../../src/core/inbox/handle.ts'
import { receive } from '../../../src/core/inbox/store-event.ts'
import { savePrivateConversation } from '../../../src/db/outbox/reach.ts'
import { saveCaller } from '../../../src/db/people/callers.ts'
import { ensureConversation } from '../../../src/db/turn/conversations.ts'
import type { Card } from '../../../src/domain/approval.ts'
import type { Caller } from '../../../src/domain/caller.ts'
import { newId } from '../../../src/util/ids.ts'
import {
  anybody,
  type BenchContext,
  createBenchContext,
  eve,
  here,
} from '../../support/bench-context.ts'
import { calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

export const olga: Caller = { id: 'test:olga', name: 'Olga', role: 'operator' }

interface Place extends Partial<Omit<CoreSettings, 'approvers' | 'routing'>> {
  readonly approvers?: Partial<CoreSettings['approvers']>
  readonly routing?: Partial<CoreSettings['routing']>
  /** Who has a private chat with us, each at the place of their name. */
  readonly reachable?: readonly Caller[]
  readonly request?: ReturnType<typeof toRequest>
}

/** Everything is made, and Ada has said nothing yet. */
export async function openPlace({
  approvers,
  routing,
  reachable = [eve, olga],
  request = toRequest('bash', { command: 'touch a' }),
  ...settings
}: Place): Promise<BenchContext> {
  const model = createScriptedModel(({ messages }) =>
    messages.at(-1)?.role === 'user' ? calls([request]) : say('done'),
  )
  const bench = await createBenchContext(model, {
    ...settings,
    approvers: { ...anybody, ...approvers },
    routing: { ...here, ...routing },
  })
  const { db } = bench.database
  await saveCaller(db, olga)
  for (const person of reachable) {
    const { id } = await ensureConversation(db, 'test', person.name)
    await savePrivateConversation(db, person.id, id)
  }
  return bench
}

/** A command of Ada's, written in the room, waits. */
export async function openAsked(place: Place): Promise<BenchContext> {
  const bench = await openPlace(place)
  await bench.say('hi')
  await bench.step()
  return bench
}

/** What was posted so far, as `where: what`, cards by what they say. */
export async function posted(bench: BenchContext): Promise<readonly string[]> {
  const rows = await bench.database.db
    .selectFrom('outbox')
    .innerJoin('conversation', 'conversation.id', 'outbox.conversation_id')
    .select(['external_id', 'body', 'edit_of'])
    .orderBy('outbox.id')
    .execute()
  return rows.map(({ external_id, body, edit_of }) => {
    const { kind, card, text, markdown } = JSON.parse(body)
    if (card === undefined) return `${external_id}: ${text ?? markdown}`
    return `${external_id}: ${edit_of === null ? kind : `edit to ${card.status.kind}`}`
  })
}

export async function questionOf(bench: BenchContext) {
  const row = await bench.database.db
    .selectFrom('approval')
    .selectAll()
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  return { ...row, card: JSON.parse(row.card) as Card }
}

/** Somebody writes in a place of their own. */
export async function write(
  bench: BenchContext,
  conversation: string,
  by: Caller,
  text: string,
): Promise<void> {
  const { conversationId } = await receive(bench.ctx, {
    platform: 'test',
    externalId: newId(),
    conversation,
    callerId: by.id,
    body: { kind: 'message', text },
  })
  await handleInbox(bench.ctx, conversationId)
}
