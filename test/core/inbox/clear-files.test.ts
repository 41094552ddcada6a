import { expect, test } from 'vitest'
import { receive } from '../../../src/core/inbox/store-event.ts'
import { takeIncoming } from '../../../src/core/inbox/take-incoming.ts'
import { savePairedRole } from '../../../src/db/people/callers.ts'
import { insertAttachment } from '../../../src/db/upload/attachments.ts'
import { claimUpload, keepUpload } from '../../../src/db/upload/upload-claims.ts'
import { insertUploads } from '../../../src/db/upload/uploads.ts'
import { newId } from '../../../src/util/ids.ts'
import { ada, type BenchContext, bob, createBenchContext } from '../../support/bench-context.ts'
import { call, createScriptedModel, say } from '../../support/scripted-model.ts'

const open = () =>
  createBenchContext(createScriptedModel([call('bash', { command: 'x' }), say('a')]))

/** A file with some words; `isHere`: its bytes are kept already. */
async function send(bench: BenchContext, name: string, { as = ada, isHere = false } = {}) {
  const { db } = bench.database
  const inbound = { platform: 'test', externalId: newId(), conversation: 'room', callerId: as.id }
  const body = { kind: 'files', text: `about ${name}` } as const
  const { conversationId, eventId } = await receive(bench.ctx, { ...inbound, body })
  const file = { name, mediaType: undefined, reference: name }
  const kept = { conversationId, name, content: Buffer.from('x'), sha256: '0' }
  const bytes = isHere ? { attachmentId: await insertAttachment(db, kept) } : {}
  await insertUploads(db, eventId, [{ ...file, ...bytes }])
  return conversationId
}

async function states({ database }: BenchContext): Promise<Readonly<Record<string, string>>> {
  const rows = await database.db.selectFrom('upload').select(['name', 'state']).execute()
  return Object.fromEntries(rows.map(({ name, state }) => [name, state]))
}

async function bodies({ database }: BenchContext, table: 'message' | 'inbound_event') {
  const rows =
    table === 'message'
      ? await database.db
          .selectFrom('message')
          .select('body')
          .where('position', 'is', null)
          .execute()
      : await database.db
          .selectFrom('inbound_event')
          .select('body')
          .where('handled_at', 'is', null)
          .execute()
  return rows.map(({ body }) => body).join('\n')
}

test('CHAT-07 LOOP-14 /clear drops the files that still wait, says which, and leaves those of others', async () => {
  await using bench = await open()
  await bench.say('go')
  await bench.step()
  await send(bench, 'here.txt', { isHere: true })
  await send(bench, 'coming.txt')
  const id = await send(bench, 'bobs.txt', { as: bob })
  await bench.say('/clear')
  expect((await bench.notices()).at(-1)).toMatch(
    /^Cleared: .* Discarded unread: “coming\.txt”, “here\.txt”, and 1 message\.$/,
  )
  expect(await states(bench)).toEqual({
    'here.txt': 'told',
    'coming.txt': 'told',
    'bobs.txt': 'waiting',
  })
  expect(await bodies(bench, 'inbound_event')).not.toContain('coming')
  expect(await bodies(bench, 'inbound_event')).toContain('bobs')
  // What was being fetched meanwhile is not kept.
  const { db } = bench.database
  expect((await claimUpload(db, id))?.name).toBe('bobs.txt')
  const late = await db
    .selectFrom('upload')
    .select('id')
    .where('name', '=', 'coming.txt')
    .executeTakeFirstOrThrow()
  const content = { conversationId: id, name: 'coming.txt', content: Buffer.from('x'), sha256: '0' }
  const attachmentId = await insertAttachment(db, content)
  const kept = { attachmentId, name: 'coming.txt', mediaType: null }
  expect(await keepUpload(db, late.id, kept)).toBe(false)
})

test('CHAT-07 LOOP-14 /clear as the words of a file takes that file into the fresh session, and says nothing where none waits', async () => {
  await using bench = await open()
  await bench.say('go')
  await bench.step()
  await bench.say('/clear')
  expect((await bench.notices()).at(-1)).toMatch(/Files stay\.$/)
  await send(bench, 'other.txt')
  const [id, name] = [newId(), 'mine.txt']
  const files = [{ name, reference: 'mine', bytes: 1 }]
  const from = { id: ada.id, name: ada.name }
  const place = { platform: 'test', externalId: id, place: 'room', isPrivate: true, from }
  await savePairedRole(bench.database.db, from, 'user')
  await takeIncoming(bench.ctx, { ...place, act: { kind: 'message', text: '/clear', files } })
  await bench.say('hello')
  const told = (await bench.notices()).filter((text) => text.startsWith('Cleared'))
  expect(told.at(-1)).toMatch(/Discarded unread: “other\.txt” and 1 message\.$/)
  expect(await states(bench)).toEqual({ 'other.txt': 'told', 'mine.txt': 'waiting' })
})

test('CHAT-07 LOOP-14 /clear drops what waits behind a file too, and nothing of it goes into the fresh session', async () => {
  await using bench = await open()
  const { db } = bench.database
  const from = { id: ada.id, name: ada.name }
  const place = { platform: 'test', place: 'room', isPrivate: true, from }
  await savePairedRole(db, from, 'user')
  const write = (text: string, ...names: readonly string[]) => {
    const files = names.map((name) => ({ name, reference: name, bytes: 1 }))
    const act = { kind: 'message', text, files } as const
    return takeIncoming(bench.ctx, { ...place, externalId: newId(), act })
  }
  await write('see', 'video.mp4')
  await write('delete everything that it names')
  await write('and this', 'behind.txt')
  await db.updateTable('upload').set({ state: 'kept' }).where('name', '=', 'behind.txt').execute()
  await bench.say('/clear')
  expect((await bench.notices()).at(-1)).toMatch(
    / Discarded unread: “video\.mp4”, “behind\.txt”, and 3 messages\.$/,
  )
  expect(await states(bench)).toEqual({ 'video.mp4': 'told', 'behind.txt': 'told' })
  expect(await bodies(bench, 'inbound_event')).toBe('')
  expect(await db.selectFrom('turn').select('id').execute()).toEqual([])
})

test('CHAT-07 /clear does not say of a file that a worker has that it is dropped', async () => {
  await using bench = await open()
  await bench.say('go')
  await bench.step()
  await bench.say('/approve 1')
  await bench.step()
  const [sent] = await bench.calls()
  expect(sent?.state).toBe('queued')
  const { db } = bench.database
  await send(bench, 'late.txt', { isHere: true })
  await bench.say('what of it?')
  await db
    .updateTable('upload')
    .set({ state: 'kept', call_id: sent?.id ?? '' })
    .execute()
  await bench.say('/clear')
  expect((await bench.notices()).at(-1)).toMatch(/ On its way, and perhaps there: “late\.txt”\.$/)
})
