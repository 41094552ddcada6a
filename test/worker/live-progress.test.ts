import { expect, test } from 'vitest'
import { type JobHeader, liveTopic } from '../../src/rules/jobs/contract.ts'
import { createRedactor } from '../../src/rules/output/create-redactor.ts'
import { LiveProgress } from '../../src/worker/live-progress.ts'
import { createMemoryBus } from '../support/memory-queue.ts'

const header = {
  conversation: 'room',
  turnId: 't',
  epoch: 1,
  callId: 'c',
  tool: 'bash',
} as JobHeader

async function show(reports: readonly string[]): Promise<string[]> {
  const bus = createMemoryBus()
  const heard: string[] = []
  await bus.subscribe(liveTopic, (payload) => {
    heard.push((payload as { readonly event: { readonly text: string } }).event.text)
  })
  using progress = new LiveProgress(bus, header, createRedactor([]))
  for (const report of reports) progress.report(report)
  await expect.poll(() => heard.length, { timeout: 20_000 }).toBeGreaterThan(0)
  return heard
}

test('BASH-09 a burst of lines becomes one event with the last of them', async () => {
  const reports = Array.from({ length: 100 }, (_, index) => `line ${index}\n`)
  expect(await show(reports)).toEqual(['line 95\nline 96\nline 97\nline 98\nline 99'])
})

test.each([
  ['wide characters', '漢 '.repeat(20_000)],
  ['characters that JSON escapes', '" \\ '.repeat(10_000)],
  ['surrogate pairs', '😀 '.repeat(20_000)],
])('BASH-09 an event fits the limit of the bus, also with %s', async (_what, text) => {
  const [shown = ''] = await show([`${text}\n`])
  expect(shown.length).toBeGreaterThan(500)
  expect(text.trimEnd().endsWith(shown.replace('\uFFFD', ''))).toBe(true)
})

test('OUT-01 live output is sanitised', async () => {
  expect(await show(['\u001b[32m10%\r50% done\u001b[0m\n'])).toEqual(['50% done'])
})

test('CHAT-04 BASH-09 a call without output is reported after a second, once', async () => {
  expect(await show([])).toEqual([''])
})
