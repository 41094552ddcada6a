import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createTextStream } from '../../../../src/core/turn/model/think.ts'
import type { LiveEvent } from '../../../../src/ports/chat.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function textsOf(events: readonly LiveEvent[]): readonly { offset: number; text: string }[] {
  return events.flatMap((event) => (event.kind === 'text' ? [event] : []))
}

test('DECISION-25 CHAT-04 a fast model is told of four times a second at most, in small parts that go on from each other', async () => {
  const events: LiveEvent[] = []
  const stream = createTextStream({ id: 't', epoch: 1 }, (event) => events.push(event))
  const whole = 'x'.repeat(20_000)
  for (let at = 0; at < whole.length; at += 100) {
    stream.push(whole.slice(at, at + 100))
    await vi.advanceTimersByTimeAsync(10)
  }
  expect(events.length).toBeLessThanOrEqual(8)
  stream.end()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(events.length).toBeLessThanOrEqual(9)
  let shown = ''
  for (const { offset, text } of textsOf(events)) {
    expect(text.length).toBeLessThanOrEqual(1_500)
    expect(offset).toBe(shown.length)
    shown += text
  }
  expect(whole.startsWith(shown)).toBe(true)
})

test('CHAT-04 DECISION-25 a short text is told whole, however it comes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ maxLength: 40 }), { maxLength: 20 }), async (parts) => {
      const events: LiveEvent[] = []
      const stream = createTextStream({ id: 't', epoch: 1 }, (event) => events.push(event))
      for (const part of parts) {
        stream.push(part)
        await vi.advanceTimersByTimeAsync(100)
      }
      stream.end()
      expect(
        textsOf(events)
          .map(({ text }) => text)
          .join(''),
      ).toBe(parts.join(''))
    }),
  )
})
