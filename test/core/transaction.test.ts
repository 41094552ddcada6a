import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { transact } from '../../src/core/transaction.ts'
import type { ProductEvent } from '../../src/ports/observer.ts'
import { createBenchContext } from '../support/bench-context.ts'
import { createScriptedModel, say } from '../support/scripted-model.ts'

const event: ProductEvent = { kind: 'worker_message_dropped' }

test('PROC-05 what a transaction tells is heard once it has committed, once however often it was tried', async () => {
  await using bench = await createBenchContext(createScriptedModel([say('done')]))
  const heard: number[] = []
  let tries = 0
  const ctx = { ...bench.ctx, observer: { record: () => void heard.push(tries) } }
  await transact(ctx, async (tx) => {
    tries += 1
    tx.effects.emit(event)
    if (tries < 3) {
      await sql`do $$ begin raise exception 'again' using errcode = '40001'; end $$`.execute(tx.db)
    }
    expect(heard).toEqual([])
  })
  expect(heard).toEqual([3])
})

test('PROC-05 what a transaction tells that fails is not heard', async () => {
  await using bench = await createBenchContext(createScriptedModel([say('done')]))
  const failing = transact(bench.ctx, async (tx) => {
    tx.effects.emit(event)
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(bench.events).toEqual([])
})
