import { describe, expect, test } from 'vitest'
import { Recovery, say } from './support/figures.ts'
import { expectWhole } from './support/invariants.ts'
import { createChatPlace } from './telegram/chat-place.ts'
import { Killing } from './telegram/killing.ts'
import { moments } from './telegram/moments.ts'

describe('countersign start serves Telegram, killed and started again', () => {
  test('REL-01 LOOP-04 LOOP-05 INT-16 INT-17 INT-36 CHAT-06 TG-01 between any two steps of a message: its command runs once, it gets one answer, and every card tells the outcome', async () => {
    await using at = await createChatPlace()
    const recovery = new Recovery()
    await using killing = new Killing(at, recovery)
    await killing.begin()
    for (const moment of moments) {
      await killing.round(moment)
      await expectWhole(at.place, killing.rounds)
    }
    recovery.print('Telegram: killed between two steps, until all is done')
    say(`Telegram: ${killing.figures()}`)
    expect(killing.rounds).toBeGreaterThanOrEqual(20)
    recovery.expectInTime()
  }, 600_000)
})
