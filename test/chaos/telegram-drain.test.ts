import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { IncomingCall } from '../support/telegram/limits/faults.ts'
import { expectWhole } from './support/invariants.ts'
import { ada, createChatPlace, untilServing } from './telegram/chat-place.ts'
import { untilAllDone } from './telegram/until-all-done.ts'

const sendingMs = 3_000

describe('countersign start serves Telegram and is asked to end', () => {
  test('PROC-03 CHAT-06 INT-38 while an answer is on its way: it is recorded, and not sent again at the next start', async () => {
    await using at = await createChatPlace()
    const { place, telegram } = at
    await using first = at.start()
    await untilServing(telegram, first)
    const chat = telegram.privateChat(ada)
    const { promise: isOnItsWay, resolve } = Promise.withResolvers<void>()
    telegram.fault = (call) => {
      if (!isHeard(call)) return undefined
      resolve()
      return { kind: 'delay', ms: sendingMs }
    }
    chat.send(ada, 'a question')
    await isOnItsWay
    first.child.kill('SIGTERM')
    expect(await first.ended).toEqual({ code: 0, signal: null })
    telegram.fault = undefined
    await using next = at.start()
    await untilServing(telegram, next)
    await untilAllDone(place, 1)
    await delay(1_000)
    await expectWhole(place, 1)
    expect(chat.botMessages().map(({ text }) => text)).toEqual(['heard: a question'])
    expect(first.stderr).toBe('')
  }, 180_000)
})

function isHeard(call: IncomingCall): boolean {
  return String(call.params['text'] ?? '').startsWith('heard: ')
}
