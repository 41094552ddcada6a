import { expect, test } from 'vitest'
import { ada } from '../../chaos/telegram/chat-place.ts'
import { createApart, untilReady } from '../../support/apart/create-apart.ts'
import { ApiClient } from '../../support/api-client.ts'
import { giveToken } from '../../support/api-place.ts'
import type { RealProgram } from '../../support/real-product.ts'

const patience = { timeoutMs: 60_000 }
const patient = { timeout: 60_000, interval: 50 }

/** Where a process serves, as its log says. */
function portOf({ stdout }: RealProgram): number | undefined {
  const lines = stdout.split('\n').slice(0, -1)
  const line = lines.find((one) => one.includes('health and metrics are served'))
  return line === undefined ? undefined : JSON.parse(line).port
}

test('APPR-11 APPR-04 PROC-01 a gateway apart serves programs: a tap in a chat is announced, and what a program answers runs and shows on the card', async () => {
  await using apart = await createApart()
  const { telegram, place } = apart
  const roles = ['gateway', 'agent', 'worker'] as const
  const programs = roles.map((role) => [role, apart.start(role)] as const)
  for (const [role, program] of programs) await untilReady(apart, role, program)
  const [[, gateway]] = programs as [(typeof programs)[number]]
  const token = await place.look((db) => giveToken(db, 'desk', 'operator'))
  const port = await telegram.waitFor(() => portOf(gateway), { what: 'where the gateway serves' })
  const desk = new ApiClient(port, token)
  await using stream = await desk.events().ready()
  const chat = telegram.privateChat(ada)

  chat.send(ada, 'run: echo tapped >> counter')
  await expect.poll(() => stream.required().length, patient).toBe(1)
  const [tapped] = stream.required()
  const card = await chat.waitForMessage(({ text }) => text.startsWith('❯'), patience)
  chat.tap(ada, card.id, 'Approve')
  await expect.poll(() => stream.resolved().length, patient).toBe(1)
  expect(stream.resolved(tapped?.approvalId)).toMatchObject([
    { state: 'approved', decidedBy: 'telegram:41' },
  ])
  await chat.waitForText('finished: run: echo tapped >> counter', patience)

  chat.send(ada, 'run: echo answered >> counter')
  await expect.poll(() => stream.required().length, patient).toBe(2)
  const [, asked] = stream.required()
  const ids = { sessionId: asked?.sessionId, approvalId: asked?.approvalId }
  await expect
    .poll(async () => (await desk.approve(ids)).body, patient)
    .toEqual({ applied: true, message: 'Approved.' })
  await chat.waitForText('finished: run: echo answered >> counter', patience)
  await chat.waitForMessage(
    ({ text }) => text.includes('echo answered') && text.includes('Approved by api:desk'),
    patience,
  )
  expect(place.counter()).toEqual(['tapped', 'answered'])

  for (const [, program] of programs) program.child.kill('SIGTERM')
  // The stream does not hold the gateway up, and ends whole.
  await stream.ended
  for (const [role, program] of programs) {
    expect({ role, end: await program.ended }).toEqual({ role, end: { code: 0, signal: null } })
    expect(`${program.stdout}${program.stderr}`).not.toContain(token)
  }
}, 240_000)
