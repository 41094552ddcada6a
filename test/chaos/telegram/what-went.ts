import { sql } from 'kysely'
import type { Db } from '../../../src/db/schema.ts'
import type { LoggedCall } from '../../support/telegram/request-log.ts'
import { load } from '../support/figures.ts'

/** For how long calls may be on their way that were begun before the request to wait was read, on a machine at rest. */
const underWayMs = 300

/** What people's messages said, in the order of the transcript, by conversation. */
export async function wordsTaken(db: Db): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await db
    .selectFrom('message')
    .innerJoin('session', 'session.id', 'message.session_id')
    .innerJoin('conversation', 'conversation.id', 'session.conversation_id')
    .select(['conversation.external_id as place', 'message.body'])
    .where('message.role', '=', 'user')
    .orderBy('message.position')
    .execute()
  return grouped(rows.map(({ place, body }) => ({ place, text: wordsIn(body) })))
}

/** The answers and notices that were to be sent, in order, by conversation. */
export async function textsOf(db: Db): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await db
    .selectFrom('outbox')
    .innerJoin('conversation', 'conversation.id', 'outbox.conversation_id')
    .select([
      'conversation.external_id as place',
      sql<string>`coalesce(outbox.body::json ->> 'markdown', outbox.body::json ->> 'text')`.as(
        'text',
      ),
    ])
    .where(sql`outbox.body::json ->> 'kind'`, 'in', ['answer', 'notice'])
    .orderBy('outbox.id')
    .execute()
  return grouped(rows)
}

/** Texts that were sent and of which the product was not told so: it had to send them again. Of one place, or of all. */
export function sentTwice(calls: readonly LoggedCall[], place?: string): readonly string[] {
  return calls
    .filter(({ method, outcome }) => {
      const isLost = outcome.kind === 'gone' || (outcome.kind === 'dropped' && outcome.done)
      return method === 'sendMessage' && isLost
    })
    .filter(({ params }) => place === undefined || placeOf(params) === place)
    .map(({ params }) => String(params['text']))
}

/** What was shown, without the second copies of what was sent twice. */
export function withoutRepeats(
  shown: readonly string[],
  repeats: readonly string[],
): readonly string[] {
  const left = [...repeats]
  return shown.filter((text, index) => {
    const at = text === shown[index - 1] ? left.indexOf(text) : -1
    if (at !== -1) left.splice(at, 1)
    return at === -1
  })
}

/** Calls to a chat that came although the platform had asked to leave it alone until later. */
export function earlyCalls(calls: readonly LoggedCall[]): readonly string[] {
  const closed = new Map<string, { readonly from: number; readonly until: number }>()
  const early: string[] = []
  const allowedMs = Math.min(900, underWayMs * Math.max(1, load()))
  for (const { method, params, at, outcome } of calls) {
    if (params['chat_id'] === undefined) continue
    const chat = String(params['chat_id'])
    const pause = closed.get(chat)
    if (pause !== undefined && at > pause.from + allowedMs && at < pause.until) {
      early.push(
        `${method} to ${chat} ${at - pause.from} ms after a request to wait, ${pause.until - at} ms too early`,
      )
    }
    const afterMs = pauseOf(outcome)
    if (afterMs !== undefined) closed.set(chat, { from: at, until: at + afterMs })
  }
  return early
}

function pauseOf(outcome: LoggedCall['outcome']): number | undefined {
  if (outcome.kind !== 'refused' || outcome.code !== 429) return undefined
  return Number(/retry after (\d+)/u.exec(outcome.description)?.[1]) * 1000
}

function placeOf(params: LoggedCall['params']): string {
  const thread = params['message_thread_id']
  const chat = String(params['chat_id'])
  return thread === undefined ? chat : `${chat}/${String(thread)}`
}

function wordsIn(body: string): string {
  return /word \d+ in [-\d/]+/u.exec(body)?.[0] ?? body
}

function grouped(
  rows: readonly { readonly place: string; readonly text: string }[],
): ReadonlyMap<string, readonly string[]> {
  const groups = Map.groupBy(rows, ({ place }) => place)
  return new Map([...groups].map(([place, of]) => [place, of.map(({ text }) => text)]))
}
