import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { checkpoint } from '../../../src/core/audit/anchors.ts'
import { record } from '../../../src/core/audit/record.ts'
import { verifyChains } from '../../../src/core/audit/verify-chains.ts'
import { appRole, grantAppRole } from '../../../src/db/roles/grant-roles.ts'
import type { Db } from '../../../src/db/schema.ts'
import { sha256 } from '../../../src/util/digest.ts'
import { newId } from '../../../src/util/ids.ts'
import { type BenchContext, createBenchContext } from '../../support/bench-context.ts'
import { anyCharacter } from '../../support/run/any-character.ts'
import { createScriptedModel, say } from '../../support/scripted-model.ts'

const signer = { kid: 'k', signText: (text: string) => `signed ${text.length}` }
const check = (_kid: string, body: string, signature: string) =>
  signature === `signed ${body.length}`

async function bench(): Promise<BenchContext> {
  return createBenchContext(createScriptedModel([say('ok')]))
}

async function fill(db: Db, count: number, chain = 'chain'): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await db
      .transaction()
      .execute((trx) =>
        record(trx, { kind: 'command', chain, caller_id: 'test:ada', note: `row ${index}` }),
      )
  }
}

/** A checkpoint of nothing, signed so many minutes from now. */
async function signLater(db: Db, minutes: number): Promise<void> {
  const at = new Date(Date.now() + minutes * 60_000)
  const body = JSON.stringify({ at: at.toISOString(), heads: [] })
  const row = { at, body, kid: signer.kid, signature: signer.signText(body) }
  await db.insertInto('audit_checkpoint').values(row).execute()
}

const leftOut = { chain: 'chain', seq: 3, why: 'later checkpoints left it out' }

async function tamper(db: Db, change: (trx: Db) => Promise<unknown>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx)
    await change(trx)
  })
}

describe('the audit log', () => {
  test('AUD-02 rows are chained from the first on, and an untouched log verifies', async () => {
    await using room = await bench()
    const { db } = room.database
    await fill(db, 5)
    await fill(db, 3, 'system')
    await checkpoint(room.ctx, signer)
    expect(await verifyChains(db, check)).toEqual({
      chains: 2,
      rows: 8,
      checkpoints: 1,
      cuts: 0,
      broken: [],
    })
  })

  test('AUD-02 a head that is said to be checked further than it is is signed all the same', async () => {
    await using room = await bench()
    const { db } = room.database
    await fill(db, 2)
    await db.updateTable('audit_head').set({ checked_seq: 9_000_000 }).execute()
    await checkpoint(room.ctx, signer)
    const signed = await db.selectFrom('audit_checkpoint').select('body').execute()
    expect(signed.map(({ body }) => JSON.parse(body).heads)).toMatchObject([[{ seq: 2 }]])
    const heads = await db.selectFrom('audit_head').select(['seq', 'checked_seq']).execute()
    expect(heads).toEqual([{ seq: 2, checked_seq: 2 }])
  })

  test('AUD-02 a chain that later checkpoints left out is told', async () => {
    await using room = await bench()
    const { db } = room.database
    await fill(db, 2)
    await checkpoint(room.ctx, signer)
    await fill(db, 2)
    await sql`update audit_head set checked_seq = seq`.execute(db)
    await fill(db, 1, 'other')
    await checkpoint(room.ctx, signer)
    expect((await verifyChains(db, check)).broken).toEqual([])
    await signLater(db, 6)
    expect((await verifyChains(db, check)).broken).toEqual([leftOut])
  })

  test('AUD-02 a checkpoint is as old as its signed text says, whatever stands beside it', async () => {
    await using room = await bench()
    const { db } = room.database
    await fill(db, 2)
    await checkpoint(room.ctx, signer)
    await fill(db, 2)
    await sql`update audit_head set checked_seq = seq`.execute(db)
    const beside = (time: Date) =>
      tamper(db, (trx) => sql`update audit_checkpoint set at = ${time}`.execute(trx))
    await beside(new Date(Date.now() + 86_400_000))
    expect((await verifyChains(db, check)).broken).toEqual([])
    await signLater(db, 6)
    await beside(new Date(0))
    expect((await verifyChains(db, check)).broken).toEqual([leftOut])
    // An older one that is put in again makes the newest no older.
    await signLater(db, -60)
    expect((await verifyChains(db, check)).broken).toEqual([leftOut])
  })

  test('AUD-02 a row at no time of ours is told, and ends no verification', async () => {
    await using room = await bench()
    const { db } = room.database
    await fill(db, 2)
    await sql`
      insert into audit_log (chain, seq, previous_hash, hash, at, kind, body)
      values ('odd', 1, '', 'x', 'infinity', 'command', '{}')`.execute(db)
    await sql`insert into audit_head (chain, seq, hash) values ('odd', 1, 'x')`.execute(db)
    const { broken } = await verifyChains(db, check)
    expect(broken).toMatchObject([{ chain: 'odd', seq: 1 }])
  })

  test('AUD-02 twenty writers at once make one whole chain', async () => {
    await using room = await bench()
    const { db } = room.database
    await Promise.all(Array.from({ length: 20 }, () => fill(db, 3)))
    expect((await verifyChains(db, check)).broken).toEqual([])
    expect((await verifyChains(db, check)).rows).toBe(60)
  })

  test('AUD-02 nobody can change or delete a row: not by rights, not past the trigger', async () => {
    await using room = await bench()
    const { db } = room.database
    await fill(db, 1)
    await expect(sql`update audit_log set tool = 'x'`.execute(db)).rejects.toThrow('append-only')
    await expect(sql`delete from audit_log`.execute(db)).rejects.toThrow('append-only')
    await expect(sql`truncate audit_log`.execute(db)).rejects.toThrow('append-only')
    await grantAppRole(db)
    const asApp = db.transaction().execute(async (trx) => {
      await sql`set local role ${sql.id(appRole)}`.execute(trx)
      await sql`delete from audit_log`.execute(trx)
    })
    await expect(asApp).rejects.toThrow('permission denied')
  })

  const tampering: readonly (readonly [string, (trx: Db) => Promise<unknown>, number, string])[] = [
    [
      'changed text',
      (trx) =>
        sql`update audit_log set body = replace(body, 'row 2', 'row X') where seq = 3`.execute(trx),
      3,
      'changed',
    ],
    [
      'a changed column',
      (trx) => sql`update audit_log set caller_id = 'test:eve' where seq = 2`.execute(trx),
      2,
      'columns',
    ],
    ['a removed row', (trx) => sql`delete from audit_log where seq = 3`.execute(trx), 3, 'missing'],
    ['a cut tail', (trx) => sql`delete from audit_log where seq > 3`.execute(trx), 4, 'cut off'],
    [
      'a cut tail with its head mended',
      async (trx) => {
        await sql`delete from audit_log where seq > 3`.execute(trx)
        await sql`update audit_head set seq = 3, hash = (select hash from audit_log where seq = 3)`.execute(
          trx,
        )
      },
      4,
      'checkpoint',
    ],
    [
      'a missing chain',
      async (trx) => {
        await sql`delete from audit_log`.execute(trx)
        await sql`delete from audit_head`.execute(trx)
      },
      5,
      'missing',
    ],
    ['a removed head', (trx) => sql`delete from audit_head`.execute(trx), 1, 'no head'],
    [
      'a forged checkpoint',
      (trx) => sql`update audit_checkpoint set body = body || ' '`.execute(trx),
      1,
      'signature',
    ],
  ]

  test.each(tampering)(
    'AUD-02 verify names the first broken row: %s',
    async (_name, change, seq, why) => {
      await using room = await bench()
      const { db } = room.database
      await fill(db, 5)
      await checkpoint(room.ctx, signer)
      await tamper(db, change)
      const { broken } = await verifyChains(db, check)
      expect(broken[0]).toMatchObject({ seq, why: expect.stringContaining(why) })
    },
  )

  test('REL-02 AUD-01 any text can be recorded, NUL and lone surrogates included, and still verifies', async () => {
    await using room = await bench()
    const { db } = room.database
    let recorded = 0
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: anyCharacter }),
        fc.string({ unit: 'grapheme' }),
        async (note, tool) => {
          recorded += 1
          await db.transaction().execute((trx) =>
            record(trx, {
              kind: 'command',
              chain: 'fuzz',
              note: `${note}\0\uD800`,
              tool: `${tool}\uDFFF`,
            }),
          )
        },
      ),
      { numRuns: 60 },
    )
    const readable = await sql`select count(body::jsonb) from audit_log`.execute(db)
    expect(readable.rows).toEqual([{ count: recorded }])
    expect((await verifyChains(db, check)).broken).toEqual([])
  })

  test('REL-02 AUD-05 no call fails because a rule or its hosts are too long for an index', async () => {
    await using room = await bench()
    const { db } = room.database
    const label = (name: string) => sha256(name).slice(0, 60)
    const host = (n: number) => [1, 2, 3, 4].map((part) => label(`${n} ${part}`)).join('.')
    const urls = Array.from({ length: 40 }, (_, n) => `https://${host(n)}/`).join(' ')
    const signs = Array.from({ length: 5_000 }, (_, n) => String.fromCodePoint(0x1f300 + n))
    const rule = signs.join('')
    for (const verdict of ['allow', 'deny'] as const) {
      const trace = [{ check: 'shell', action: verdict, reason: 'why', rule }]
      const call = { chain: 'long', tool: 'bash', verdict, trace, approval_id: newId() }
      const said = { arguments: JSON.stringify({ command: `curl ${urls}` }), caller_id: 'test:ada' }
      await db
        .transaction()
        .execute((trx) => record(trx, { kind: 'decided', call_id: newId(), ...call, ...said }))
    }
    expect((await verifyChains(db, check)).broken).toEqual([])
    const rows = await db.selectFrom('audit_log').select(['rule', 'hosts']).execute()
    for (const { rule: kept, hosts } of rows) {
      expect([...(kept ?? '')]).toHaveLength(200)
      expect(hosts?.length).toBeGreaterThan(1)
      expect(hosts?.length).toBeLessThanOrEqual(20)
    }
  })
})
