import { setTimeout as delay } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { countStatements } from '../../bench/support/count-statements.ts'
import { describeWithRedis } from '../support/database/describe-with-redis.ts'
import { startRedis } from '../support/database/redis.ts'
import { createFlow, type Flow } from '../support/flow.ts'
import { call, createScriptedModel, say } from '../support/scripted-model.ts'

const mostTurns = 40

/**
 * Statements of a turn, those of the queue and of notifications included. The least of several has no periodic work in it, nor a
 * call that a busy machine took so long for that it was shown as running; the first with at most `enough` ends the search.
 */
async function leastOf(
  text: string,
  enough: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<number> {
  const model = createScriptedModel(({ messages }) => {
    const last = messages.at(-1)
    const wantsCall = last?.role === 'user' && last.text.includes('call')
    return wantsCall ? call('bash', { command: 'true' }) : say('Done.')
  })
  const permissions = JSON.stringify({ bash: [{ pattern: 'true', action: 'allow' }] })
  const rules = { COUNTERSIGN_TOOLS_PERMISSIONS: permissions, ...settings }
  using statements = countStatements()
  await using flow = await createFlow({ model, settings: rules })
  await turn(flow, text)
  let least = Number.POSITIVE_INFINITY
  for (let n = 0; n < mostTurns && least > enough; n++) {
    statements.take()
    await turn(flow, text)
    const { product, queue } = statements.take()
    least = Math.min(least, product + queue)
  }
  return least
}

async function turn(flow: Flow, text: string): Promise<void> {
  const before = flow.platform.answers().length
  await flow.act({ kind: 'message', text })
  const isAnswered = () => expect(flow.platform.answers().length).toBe(before + 1)
  await vi.waitFor(isAnswered, { timeout: 30_000, interval: 5 })
  // That the answer was sent is stored, and the queue's job ended.
  await delay(50)
}

test('SHIP-07 a plain turn, and one with a tool call, with the queue in PostgreSQL', async () => {
  expect(await leastOf('hello', 16)).toBeLessThanOrEqual(16)
  expect(await leastOf('call', 50)).toBeLessThanOrEqual(50)
}, 120_000)

describeWithRedis('with Redis', () => {
  test('SHIP-07 a plain turn, and one with a tool call, with the queue in Redis', async () => {
    await using redis = await startRedis()
    const settings = { REDIS_URL: redis.url }
    expect(await leastOf('hello', 14, settings)).toBeLessThanOrEqual(14)
    expect(await leastOf('call', 40, settings)).toBeLessThanOrEqual(40)
  }, 120_000)
})
