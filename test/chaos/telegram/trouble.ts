import { type FaultHook, randomFaults } from '../../support/telegram/limits/faults.ts'

const seed = 20_261_121
const hangEvery = 20

/** Everything that the platform and the way to it may do, by chance; and so many sendings that hang until they are given up. */
export function trouble(hangs: number): FaultHook {
  const byChance = randomFaults({
    seed,
    rates: [
      [{ kind: '429', retryAfter: 1 }, 0.02],
      [{ kind: '429', retryAfter: 2 }, 0.02],
      [{ kind: 'drop-before' }, 0.03],
      [{ kind: 'drop-after' }, 0.03],
      [{ kind: 'status', code: 500, description: 'Internal Server Error' }, 0.02],
      [{ kind: 'status', code: 502 }, 0.02],
      [{ kind: 'delay', ms: 300 }, 0.05],
    ],
  })
  let sendings = 0
  return (call) => {
    if (call.method === 'sendMessage') sendings += 1
    const hangsNow = call.method === 'sendMessage' && sendings % hangEvery === 0
    if (hangsNow && sendings <= hangs * hangEvery) return { kind: 'hang' }
    return byChance(call)
  }
}
