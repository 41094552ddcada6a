import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createOutageNotice } from '../../../../../src/adapters/chat/telegram/incoming/outage-notice.ts'
import { english } from '../../../../../src/domain/messages/messages.ts'
import { silentLog } from '../../../../../src/util/log.ts'
import { createOddServer } from './odd-server.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

test('INT-32 STORE-04 a chat gets one notice per message, and at most one a minute', async () => {
  await using server = await createOddServer(() => ({ message_id: 1 }))
  const notice = createOutageNotice(server.api, english.chat.messageKept, silentLog)
  const expectTold = async (times: number, act: () => void) => {
    const before = server.calls.length
    act()
    // A chat of its own comes last, over a connection of its own: either may be there first.
    notice.notify(`9${before}`, 1)
    const told = () => server.calls.length - before - 1
    await expect.poll(told).toBeGreaterThanOrEqual(times)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(told()).toBe(times)
  }
  await expectTold(1, () => notice.notify('42', 1))
  await expectTold(0, () => notice.notify('42', 2))
  await expectTold(1, () => notice.notify('43/7', 3))
  vi.advanceTimersByTime(61_000)
  // Both came within the minute: they were told of by the first.
  await expectTold(0, () => notice.notify('42', 1))
  await expectTold(0, () => notice.notify('42', 2))
  await expectTold(1, () => notice.notify('42', 4))
  vi.advanceTimersByTime(59_000)
  await expectTold(0, () => notice.notify('42', 5))
})
