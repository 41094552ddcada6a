import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { codeOf } from '../../../src/core/mcp/waiting-tools.ts'
import { deletePerson } from '../../../src/db/people/person.ts'
import type { Db } from '../../../src/db/schema.ts'
import {
  decideTools,
  deleteOldTools,
  findOffered,
  saveServer,
  takeUnasked,
} from '../../../src/db/worker/mcp-tools.ts'
import { saveWorker } from '../../../src/db/worker/workers.ts'
import { sha256 } from '../../../src/util/digest.ts'
import { createUsedDatabase } from '../../support/database/database.ts'

const by = 'test:olga'
let beats = 0

async function enrol(db: Db, name = 'local', replica = 'r1'): Promise<void> {
  await saveWorker(db, {
    ...{ name, replica, driver: 'bubblewrap', confined: true, warnings: '[]', tools: '[]' },
    ...{ box_workspace: '/workspace', public_key: 'key', beat: 1, said_at: new Date() },
  })
}

/** Reports that a server offers tools with these descriptions. */
function report(
  db: Db,
  descriptions: readonly string[],
  more: { worker?: string; replica?: string; beat?: number; state?: 'up' | 'away' } = {},
): Promise<boolean> {
  beats += 1
  const tools = descriptions.map((description) => ({
    ...{ name: 'echo', title: null, description, input_schema: '{}', annotations: '{}' },
    sha256: sha256(description),
  }))
  return saveServer(db, {
    ...{ worker: 'local', replica: 'r1', server: 'demo', beat: beats, title: '', launch: 'x' },
    ...{ state: 'up', note: null, timeout_ms: 1_000, tools, ...more },
  })
}

async function offeredIn(db: Db, worker?: string) {
  const rows = await findOffered(db, worker)
  return rows.map(({ description, state }) => `${description}: ${state}`)
}

async function approve(db: Db): Promise<void> {
  await decideTools(db, await findOffered(db), { state: 'approved', by })
}

const count = async (db: Db) => (await db.selectFrom('mcp_tool').selectAll().execute()).length

test('MCP-08 an older report of a server, sent again, changes nothing', async () => {
  await using database = await createUsedDatabase()
  const { db } = database
  await enrol(db)
  await report(db, ['old'], { beat: 10 })
  await report(db, ['new'], { beat: 11 })
  expect(await report(db, ['old'], { beat: 10 })).toBe(false)
  expect(await report(db, ['old'], { beat: 11 })).toBe(false)
  expect(await offeredIn(db)).toEqual(['new: waiting'])
})

test('MCP-08 a server that changes its tools all the time fills no table, and operators are told once in ten minutes', async () => {
  await using database = await createUsedDatabase()
  const { db } = database
  await enrol(db)
  let told = 0
  for (let at = 0; at < 50; at += 1) {
    await report(db, [`description ${at}`])
    told += (await takeUnasked(db, await findOffered(db))).length
  }
  expect([told, await count(db)]).toEqual([1, 2])
  await sql`update mcp_tool set asked_at = asked_at - interval '11 minutes'`.execute(db)
  expect(await takeUnasked(db, await findOffered(db))).toHaveLength(1)
  expect(await takeUnasked(db, await findOffered(db))).toEqual([])
  await report(db, ['the last'])
  expect(await count(db)).toBe(2)
})

test('MCP-08 a server that is away offers nothing, and asks nobody again when it is back', async () => {
  await using database = await createUsedDatabase()
  const { db } = database
  await enrol(db)
  await report(db, ['one'])
  await takeUnasked(db, await findOffered(db))
  await sql`update mcp_tool set asked_at = asked_at - interval '1 day'`.execute(db)
  await report(db, [], { state: 'away' })
  expect(await offeredIn(db)).toEqual([])
  await report(db, ['one'])
  expect(await offeredIn(db)).toEqual(['one: waiting'])
  expect(await takeUnasked(db, await findOffered(db))).toEqual([])
})

test('MCP-01 a description that was replaced by an approved one is asked about again when it comes back', async () => {
  await using database = await createUsedDatabase()
  const { db } = database
  await enrol(db)
  await report(db, ['old'])
  await approve(db)
  await report(db, ['new'])
  await approve(db)
  expect(await offeredIn(db)).toEqual(['new: approved'])
  await report(db, ['old'])
  expect(await offeredIn(db)).toEqual(['old: waiting'])
  expect(await takeUnasked(db, await findOffered(db))).toHaveLength(1)
})

test('MCP-01 descriptions of two replicas are both there, and each is decided on', async () => {
  await using database = await createUsedDatabase()
  const { db } = database
  await enrol(db)
  await enrol(db, 'local', 'r2')
  await report(db, ['old'])
  await approve(db)
  await report(db, ['new'], { replica: 'r2' })
  expect((await offeredIn(db)).toSorted()).toEqual(['new: waiting', 'old: approved'])
  await approve(db)
  expect((await offeredIn(db)).toSorted()).toEqual(['new: approved', 'old: approved'])
})

test('MCP-01 what is approved at one worker is not approved at another', async () => {
  await using database = await createUsedDatabase()
  const { db } = database
  await enrol(db)
  await enrol(db, 'other')
  await report(db, ['same'])
  await approve(db)
  await report(db, ['same'], { worker: 'other' })
  expect(await offeredIn(db, 'other')).toEqual(['same: waiting'])
})

test('MCP-01 the code that approves tools cannot be known from their digests', async () => {
  await using database = await createUsedDatabase()
  const { db } = database
  await enrol(db)
  await enrol(db, 'other')
  await report(db, ['same'])
  await report(db, ['same'], { worker: 'other' })
  const [one, two] = await Promise.all(['local', 'other'].map((at) => findOffered(db, at)))
  expect(one?.[0]?.sha256).toBe(two?.[0]?.sha256)
  expect(codeOf(one ?? [])).not.toBe(codeOf(two ?? []))
  expect(codeOf(one ?? [])).toBe(codeOf(await findOffered(db, 'local')))
})

test('MCP-08 descriptions that nothing offers are deleted in the end, and those that are offered stay', async () => {
  await using database = await createUsedDatabase()
  const { db } = database
  await enrol(db)
  await report(db, ['old'])
  await approve(db)
  await report(db, ['new'])
  await approve(db)
  await deleteOldTools(db, 90)
  expect(await count(db)).toBe(2)
  await sql`update mcp_tool set offered_at = offered_at - interval '91 days'`.execute(db)
  await deleteOldTools(db, 90)
  expect(await offeredIn(db)).toEqual(['new: approved'])
  expect(await count(db)).toBe(1)
})

test('MCP-01 a person who is forgotten is not named as the one who approved a tool', async () => {
  await using database = await createUsedDatabase()
  const { db } = database
  await enrol(db)
  await report(db, ['one'])
  await approve(db)
  await deletePerson(db, by, [], 'forgotten')
  const rows = await db.selectFrom('mcp_tool').select(['decided_by', 'state']).execute()
  expect(rows).toEqual([{ decided_by: 'forgotten', state: 'approved' }])
})
