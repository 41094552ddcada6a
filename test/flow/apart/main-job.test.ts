import { expect, test } from 'vitest'
import { z } from 'zod'
import { expectWhole } from '../../chaos/support/invariants.ts'
import { ada } from '../../chaos/telegram/chat-place.ts'
import { untilAllDone } from '../../chaos/telegram/until-all-done.ts'
import { createApart, untilReady } from '../../support/apart/create-apart.ts'
import type { RealProgram } from '../../support/real-product.ts'

const patience = { timeoutMs: 60_000 }
/** What each of them says in its log of a turn with one call that is asked about. */
const saidBy = {
  gateway: ['message handled', 'turn started', 'approval decided', 'delivered'],
  agent: ['model answered', 'call decided', 'approval asked', 'call sent', 'turn ended'],
  worker: ['job taken', 'call ran'],
} as const

test('PROC-01 PROC-05 STORE-02 a gateway, an agent and a worker apart: message, card, tap, command, answer, audit, and its turn in the log of each', async () => {
  await using apart = await createApart()
  const { telegram, place } = apart
  const roles = ['gateway', 'agent', 'worker'] as const
  const programs = roles.map((role) => [role, apart.start(role)] as const)
  for (const [role, program] of programs) await untilReady(apart, role, program)
  const chat = telegram.privateChat(ada)
  chat.send(ada, 'run: echo once >> counter')
  const card = await chat.waitForMessage(({ text }) => text.startsWith('❯'), patience)
  expect(card.text).toContain('echo once >> counter')
  chat.tap(ada, card.id, 'Approve')
  await chat.waitForText('finished: run: echo once >> counter', patience)
  await untilAllDone(place, 1)
  expect(place.counter()).toEqual(['once'])
  expect(chat.messages().find(({ id }) => id === card.id)?.text).toContain('exit 0')
  await expectWhole(place, 1)
  const turn = await place.look((db) =>
    db.selectFrom('turn').select('id').executeTakeFirstOrThrow(),
  )
  for (const [role, program] of programs) {
    // What is stored may be seen before what is said of it.
    await expect
      .poll(() => ({ role, told: toldOf(program, turn.id) }), { timeout: 60_000 })
      .toEqual({ role, told: expect.arrayContaining([...saidBy[role]]) })
  }
  for (const [, program] of programs) program.child.kill('SIGTERM')
  for (const [role, program] of programs) {
    expect({ role, end: await program.ended }).toEqual({ role, end: { code: 0, signal: null } })
  }
}, 180_000)

/** What its log says of the turn, in whole lines. */
function toldOf({ stdout }: RealProgram, turnId: string): readonly string[] {
  return stdout
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.includes(turnId))
    .map((line) => z.looseObject({ msg: z.string() }).parse(JSON.parse(line)).msg)
}
