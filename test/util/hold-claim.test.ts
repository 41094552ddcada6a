import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { untilAborted } from '../../src/util/abort.ts'
import { holdClaim } from '../../src/util/hold-claim.ts'
import { silentLog } from '../../src/util/log.ts'

const common = { what: 'a row', claimMs: 30, log: silentLog }

test('STORE-04 a claim is renewed while its work lasts, and no more once that has ended', async () => {
  let renewals = 0
  const renew = async () => {
    renewals += 1
    return true
  }
  const answer = await holdClaim({ ...common, renew }, async (lost) => {
    while (renewals < 3) await sleep(1)
    return lost.aborted ? 'lost' : 'held'
  })
  expect(answer).toBe('held')
  const before = renewals
  await sleep(40)
  expect(renewals).toBe(before)
})

test('STORE-04 work is told when its claim is lost, and not when a renewal fails', async () => {
  const answers = [() => Promise.reject(new Error('away')), async () => true, async () => false]
  let asked = 0
  const warned: string[] = []
  const log = { ...silentLog, warn: (_: unknown, message: string) => void warned.push(message) }
  const renew = () => answers[Math.min(asked++, 2)]?.() ?? Promise.resolve(false)
  await holdClaim({ ...common, log, renew }, untilAborted)
  expect(asked).toBe(3)
  expect(warned).toEqual(['failed to renew a claim, will retry'])
})

test('STORE-04 a renewal on its way is waited for, so that what is given up then stays given up', async () => {
  const events: string[] = []
  const begun = Promise.withResolvers<void>()
  const renew = async () => {
    begun.resolve()
    await sleep(20)
    events.push('renewed')
    return true
  }
  await expect(
    holdClaim({ ...common, renew }, async () => {
      await begun.promise
      throw new Error('it failed')
    }),
  ).rejects.toThrow('it failed')
  events.push('given up')
  expect(events).toEqual(['renewed', 'given up'])
})

test('STORE-04 renewals do not overlap, and none follows the loss of the claim', async () => {
  let running = 0
  let most = 0
  let renewals = 0
  const renew = async () => {
    renewals += 1
    running += 1
    most = Math.max(most, running)
    await sleep(35)
    running -= 1
    return renewals < 2
  }
  await holdClaim({ ...common, renew }, async (lost) => {
    await untilAborted(lost)
    await sleep(60)
  })
  expect([most, renewals]).toEqual([1, 2])
})
