import { setTimeout as delay } from 'node:timers/promises'
import { byChance, randomNumbers } from '../../support/by-chance.ts'
import type { Fault as SlackFault } from '../../support/slack/limits/faults.ts'
import type { RateLimits as SlackLimits } from '../../support/slack/limits/rate-limits.ts'
import type { SlackStandIn } from '../../support/slack/slack.ts'
import type { Fault as TelegramFault } from '../../support/telegram/limits/faults.ts'
import type { RateLimits as TelegramLimits } from '../../support/telegram/limits/rate-limits.ts'
import type { TelegramStandIn } from '../../support/telegram/telegram.ts'

const seed = 20_261_123
/** Between two troubles of Slack's connections, in milliseconds. */
const shortestPauseMs = 2_000
const longestPauseMs = 6_000

/** Telegram's own. */
export const telegramLimits: TelegramLimits = {
  perChatPerSecond: 1,
  perGroupPerMinute: 20,
  perSecond: 30,
}
/** Slack's own. */
export const slackLimits: SlackLimits = { perChannelPerSecond: 1, tiers: true }

/** What becomes of a call on its way, the same on both platforms. */
const faults: readonly (readonly [SlackFault & TelegramFault, number])[] = [
  [{ kind: '429', retryAfter: 1 }, 0.02],
  [{ kind: '429', retryAfter: 2 }, 0.01],
  [{ kind: 'drop-before' }, 0.03],
  [{ kind: 'drop-after' }, 0.03],
  [{ kind: 'status', code: 502 }, 0.02],
  [{ kind: 'delay', ms: 300 }, 0.05],
]

/** Calls fail by chance, Telegram's polls among them, until it is disposed. */
export function troubleTelegram(telegram: TelegramStandIn): Disposable {
  const draw = byChance(seed, faults)
  telegram.fault = draw
  return {
    [Symbol.dispose]: () => {
      telegram.fault = undefined
    },
  }
}

/**
 * Calls fail by chance; sockets break without a word, or are asked to go; and what was confirmed comes once more. Until it
 * is disposed.
 */
export function troubleSlack(slack: SlackStandIn): AsyncDisposable {
  const draw = byChance(seed, faults)
  const next = randomNumbers(seed)
  const ending = new AbortController()
  slack.fault = draw
  const shaking = shake(slack, next, ending.signal)
  return {
    [Symbol.asyncDispose]: async () => {
      slack.fault = undefined
      ending.abort()
      await shaking
    },
  }
}

async function shake(slack: SlackStandIn, next: () => number, signal: AbortSignal): Promise<void> {
  for (let count = 0; !signal.aborted; count += 1) {
    const pauseMs = shortestPauseMs + next() * (longestPauseMs - shortestPauseMs)
    await delay(pauseMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    if (count % 3 === 0) slack.dropSockets()
    else if (count % 3 === 1) slack.askToReconnect()
    else repeatSome(slack)
  }
}

/** The last events that were confirmed. */
function repeatSome(slack: SlackStandIn): void {
  const confirmed = slack.deliveries.filter(
    ({ kind, state }) => kind === 'events_api' && state === 'acked',
  )
  for (const record of confirmed.slice(-5)) slack.repeat(record)
}
