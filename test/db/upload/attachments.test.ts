import { expect, test } from 'vitest'
import {
  deleteOldOutputFiles,
  insertAttachment,
  keepOutputFile,
} from '../../../src/db/upload/attachments.ts'
import { sha256 } from '../../../src/util/digest.ts'
import { createBenchContext } from '../../support/bench-context.ts'
import { createScriptedModel, say } from '../../support/scripted-model.ts'

async function openBench() {
  const bench = await createBenchContext(createScriptedModel([say('ok')]))
  await bench.say('go')
  const { db } = bench.database
  const { id } = await db.selectFrom('conversation').select('id').executeTakeFirstOrThrow()
  const file = (name: string, text: string) => {
    const content = Buffer.from(text)
    return { conversationId: id, name, content, sha256: sha256(content) }
  }
  const ids = async () => {
    const rows = await db.selectFrom('attachment').select('id').orderBy('id').execute()
    return rows.map((row) => row.id)
  }
  return { bench, db, file, ids }
}

test('OUT-10 the same output that is asked for again is kept once; another, or by another name, beside it', async () => {
  const { bench, db, file, ids } = await openBench()
  await using _bench = bench
  const uploaded = await insertAttachment(db, file('output-1.txt', 'one'))
  const first = await keepOutputFile(db, file('output-1.txt', 'one'))
  expect(await keepOutputFile(db, file('output-1.txt', 'one'))).toBe(first)
  const others = [
    await keepOutputFile(db, file('output-1.txt', 'two')),
    await keepOutputFile(db, file('output-2.txt', 'one')),
  ]
  expect(new Set(await ids())).toEqual(new Set([uploaded, first, ...others]))
  expect(others).toHaveLength(new Set(others).size)
})

test('OUT-10 CHAT-07 files of outputs go when nobody asks for them, other files stay whatever their name is', async () => {
  const { bench, db, file, ids } = await openBench()
  await using _bench = bench
  const uploaded = await insertAttachment(db, file('output-1.txt', 'by a person'))
  const again = await keepOutputFile(db, file('output-2.txt', 'asked for again'))
  await keepOutputFile(db, file('output-3.txt', 'asked for once'))
  await db
    .updateTable('attachment')
    .set({ created_at: new Date(0) })
    .execute()
  await keepOutputFile(db, file('output-2.txt', 'asked for again'))
  await deleteOldOutputFiles(db, 7)
  expect(new Set(await ids())).toEqual(new Set([uploaded, again]))
})
