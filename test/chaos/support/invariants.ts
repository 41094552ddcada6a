import { createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { verifyChains } from '../../../src/core/audit/verify-chains.ts'
import type { Db } from '../../../src/db/schema.ts'
import type { RealProduct } from '../../support/real-product.ts'
import type { Place } from './place.ts'

/** What must hold when everything has come to rest, whatever was killed before. */
export async function expectWhole(place: Place, messages: number): Promise<void> {
  const found = await place.look(async (db) => ({
    turns: await db.selectFrom('turn').selectAll().execute(),
    answers: await answersByTurn(db),
    unhandled: await db
      .selectFrom('inbound_event')
      .selectAll()
      .where('handled_at', 'is', null)
      .execute(),
    unread: await db.selectFrom('message').selectAll().where('position', 'is', null).execute(),
    said: await db.selectFrom('message').selectAll().where('role', '=', 'user').execute(),
    unsent: await db.selectFrom('outbox').selectAll().where('state', '!=', 'sent').execute(),
    calls: await db.selectFrom('tool_call').selectAll().execute(),
    audited: await auditedCalls(db),
    audit: await verifyChains(db, checkSignature(place)),
  }))
  expect(found.said.length, 'messages taken').toBe(messages)
  expect([found.unhandled, found.unread, found.unsent], 'nothing waits').toEqual([[], [], []])
  expect(found.turns.filter(({ state }) => state !== 'done')).toEqual([])
  expect([...found.answers.values()], 'one answer a turn').toEqual(found.turns.map(() => 1))
  expect(found.calls.filter(({ settled_at }) => settled_at === null)).toEqual([])
  expect(found.audited, 'a decided and a settled row each').toEqual(
    new Map(found.calls.map(({ id }) => [id, ['decided', 'settled']])),
  )
  expect(found.audit).toMatchObject({ broken: [] })
}

/** How often each turn's answer was put on the wire, over all processes there were. */
export function shownAnswers(products: readonly RealProduct[]): ReadonlyMap<string, number> {
  const shown = new Map<string, number>()
  for (const line of products.flatMap((product) => product.lines)) {
    if (line.event !== 'delivered' || line.message.kind !== 'answer') continue
    const { turnId } = line.message
    shown.set(turnId, (shown.get(turnId) ?? 0) + 1)
  }
  return shown
}

async function answersByTurn(db: Db): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('outbox')
    .select([sql<string>`body::json ->> 'turnId'`.as('turn'), sql<number>`count(*)`.as('count')])
    .where(sql`body::json ->> 'kind'`, '=', 'answer')
    .groupBy('turn')
    .execute()
  return new Map(rows.map(({ turn, count }) => [turn, count]))
}

async function auditedCalls(db: Db): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await db
    .selectFrom('audit_log')
    .select(['call_id', 'kind'])
    .where('call_id', 'is not', null)
    // Late and dropped messages of workers are rows beside these.
    .where('kind', 'in', ['decided', 'settled'])
    .orderBy('id')
    .execute()
  return Map.groupBy(rows, ({ call_id }) => call_id ?? '')
    .entries()
    .reduce(
      (map, [id, of]) =>
        map.set(
          id,
          of.map(({ kind }) => kind),
        ),
      new Map(),
    )
}

function checkSignature({ dataDir }: Place) {
  const key = createPublicKey(readFileSync(join(dataDir, 'keys', 'signing-key.pem')))
  return (_kid: string, body: string, signature: string) =>
    verify(null, Buffer.from(body), key, Buffer.from(signature, 'base64'))
}
