import { expect, test } from 'vitest'
import { type Apart, createApart, untilReady } from '../support/apart/create-apart.ts'
import type { Role } from '../support/apart/roles.ts'
import type { RealProgram } from '../support/real-product.ts'
import type { ChatHandle } from '../support/telegram/chat-handle.ts'
import { lastCall } from './support/steps.ts'
import { ada } from './telegram/chat-place.ts'
import { untilAllDone } from './telegram/until-all-done.ts'

/** Jobs are good for a quarter of an hour, and clocks may differ by a minute. */
const aheadMs = 20 * 60_000
const patience = { timeoutMs: 90_000 }

test('INT-40 PROC-02 a worker whose clock is far ahead refuses what is signed, and log and person are told; one whose clock is right runs the next', async () => {
  await using apart = await createApart()
  const { place, telegram } = apart
  const agent = await begin(apart, 'agent')
  await begin(apart, 'gateway')
  const ahead = await begin(apart, 'worker', { NODE_OPTIONS: shiftedBy(aheadMs) })
  const chat = telegram.privateChat(ada)
  const card = await order(chat, 'run: echo early >> counter')
  await untilAllDone(place, 1, 90_000)
  expect(await lastCall(place)).toMatchObject({
    state: 'failed',
    // Each refusal is signed anew, so often.
    attempt: 5,
    result: expect.stringContaining('expired'),
  })
  expect(chat.messages().find(({ id }) => id === card)?.text).toContain('failed')
  expect(agent.stdout).toContain('worker clock differs from ours')
  ahead.child.kill('SIGTERM')
  await ahead.ended
  await begin(apart, 'worker')
  await order(chat, 'run: echo now >> counter')
  await untilAllDone(place, 2, 90_000)
  expect(place.counter()).toEqual(['now'])
}, 240_000)

async function begin(
  apart: Apart,
  role: Role,
  settings: Readonly<Record<string, string>> = {},
): Promise<RealProgram> {
  const program = apart.start(role, settings)
  await untilReady(apart, role, program)
  return program
}

/** Orders a command, taps its card, and waits for the answer. Answers the card. */
async function order(chat: ChatHandle, text: string): Promise<number> {
  const { message_id: since } = chat.send(ada, text)
  const card = await chat.waitForMessage(
    ({ id, buttons }) => id > since && buttons.length > 0,
    patience,
  )
  chat.tap(ada, card.id, 'Approve')
  await chat.waitForText(`finished: ${text}`, patience)
  return card.id
}

/** For NODE_OPTIONS: a clock that is ahead of the machine's. */
function shiftedBy(ms: number): string {
  const code = `const now=Date.now;Date.now=()=>now()+${ms}`
  return `--import=data:text/javascript,${encodeURIComponent(code)}`
}
