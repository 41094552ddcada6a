import { expect, test } from 'vitest'
import { createBackoff } from '../../../../src/adapters/chat/incoming/backoff.ts'
import { MemoryLog } from '../telegram/incoming/memory-log.ts'

test('TG-01 pauses double from 1 s to 30 s, up to a half shorter, and begin again when it worked', async () => {
  const log = new MemoryLog()
  const waits: number[] = []
  const sleep = async (ms: number): Promise<void> => void waits.push(ms)
  const pace = createBackoff({ log, what: 'it', signal: new AbortController().signal, sleep })
  for (let failures = 0; failures < 40; failures++) await pace.wait('lost')
  for (const [failures, ms] of waits.entries()) {
    const full = Math.min(30_000, 1_000 * 2 ** failures)
    expect(ms).toBeLessThanOrEqual(full)
    expect(ms).toBeGreaterThanOrEqual(full / 2)
  }
  expect(log.lines).toHaveLength(1)
  pace.succeeded()
  await pace.wait('lost')
  expect(waits.at(-1)).toBeLessThanOrEqual(1_000)
  await pace.wait('busy', 600_000)
  expect(waits.at(-1)).toBe(600_000)
  expect(log.lines.map((line) => line.split(' ')[0])).toEqual(['warn', 'info', 'warn'])
})
