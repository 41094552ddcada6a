import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createAwayNotice } from '../../../../../src/edges/chat/telegram/incoming/away-notice.ts'
import { silentLog } from '../../../../../src/util/log.ts'
import { createOddServer } from './odd-server.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

test('INT-32 STORE-04 a chat is told once a message, and at most once a minute', async () => {
  await using server = await createOddServer(() => ({ message_id: 1 }))
  const notice = createAwayNotice(server.api, silentLog)
  const toldBy = async (act: () => void) => {
    const before = server.calls.length
    act()
    // A chat of its own comes last: when it was told, whatever came before was.
    notice.tell(`9${before}`, 1)
    await expect.poll(() => server.calls.length).toBeGreaterThan(before)
    await new Promise((resolve) => setTimeout(resolve, 50))
    return server.calls.length - before - 1
  }
  expect(await toldBy(() => notice.tell('42', 1))).toBe(1)
  expect(await toldBy(() => notice.tell('42', 2))).toBe(0)
  expect(await toldBy(() => notice.tell('43/7', 3))).toBe(1)
  vi.advanceTimersByTime(61_000)
  // Both came within the minute: they were told of by the first.
  expect(await toldBy(() => notice.tell('42', 1))).toBe(0)
  expect(await toldBy(() => notice.tell('42', 2))).toBe(0)
  expect(await toldBy(() => notice.tell('42', 4))).toBe(1)
  vi.advanceTimersByTime(59_000)
  expect(await toldBy(() => notice.tell('42', 5))).toBe(0)
})
