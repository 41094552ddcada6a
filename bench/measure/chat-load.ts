import { createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Waits } from '../../test/chaos/chat-load/converse.ts'
import { lostOnSlack, lostOnTelegram } from '../../test/chaos/chat-load/lost-texts.ts'
import { problemsOf } from '../../test/chaos/chat-load/problems-of.ts'
import { rowsOf } from '../../test/chaos/chat-load/rows-of.ts'
import { type ChatLoad, runChatLoad } from '../../test/chaos/chat-load/run-chat-load.ts'
import { slackIds } from '../../test/chaos/chat-load/slack-talks.ts'
import { telegramIds } from '../../test/chaos/chat-load/telegram-talks.ts'
import { slackLimits, telegramLimits } from '../../test/chaos/chat-load/trouble.ts'
import { peakMb } from '../../test/chaos/chat-load/words.ts'
import { createSlack, type SlackStandIn } from '../../test/support/slack/slack.ts'
import { type Figure, quantile, toFigure } from '../support/figure.ts'
import { type Effort, type Measurement, runs } from '../support/measurement.ts'
import { openSoakPlace, type SoakPlace } from '../support/soak-place.ts'

const most = 200
const each = 3
const counts = { gateway: 1, agent: 2, worker: 1 }
const patienceMs = 20 * 60_000

/** CHAT-06: a conversation on Telegram or Slack each, while the platforms limit and the ways to them fail; what must hold is checked. */
export const chatLoad: Measurement = {
  name: 'chat-load',
  about:
    'conversations on Telegram and Slack at once, with their limits, lost calls and broken connections',
  isLong: true,
  measure: async (effort) => {
    const conversations = conversationsOf(effort)
    const half = conversations / 2
    await using slack = await createSlack({
      limits: slackLimits,
      retryDelaysMs: [0, ...Array<number>(60).fill(1_000)],
    })
    const { botToken, appToken, apiUrl } = slack
    await using place = await openSoakPlace(telegramIds(half), counts, {
      telegram: { limits: telegramLimits },
      slack: { botToken, appToken, apiUrl, people: slackIds(half) },
    })
    await slack.waitFor(() => slack.sockets.open > 0)
    const { telegram, database } = place
    const look = <Result>(work: (db: typeof database.db) => Promise<Result>) => work(database.db)
    const load = await runChatLoad({ telegram, slack, conversations, each, patienceMs, look })
    await expectWhole(place, slack, load)
    return figuresOf(conversations, load, place)
  },
}

/** An even number. */
function conversationsOf(effort: Effort): number {
  return 2 * runs(effort, most / 2)
}

async function expectWhole(
  { telegram, database, dataDir }: SoakPlace,
  slack: SlackStandIn,
  { talks }: ChatLoad,
): Promise<void> {
  const key = createPublicKey(readFileSync(join(dataDir, 'keys', 'signing-key.pem')))
  const rows = await rowsOf(database.db, (_kid, body, signature) =>
    verify(null, Buffer.from(body), key, Buffer.from(signature, 'base64')),
  )
  const lost = [...lostOnTelegram(telegram), ...lostOnSlack(slack)]
  const problems = problemsOf({ talks, each, rows, lost })
  if (problems.length > 0) throw new Error(`not as it must be:\n${problems.join('\n')}`)
}

function figuresOf(conversations: number, load: ChatLoad, { members }: SoakPlace): Figure[] {
  const one = (name: string, unit: Figure['unit'], value: number) => toFigure(name, unit, [value])
  return [
    one(
      `${conversations} conversations, ${each} messages each: until all are answered`,
      'ms',
      load.answeredMs,
    ),
    one('… until the last edit is sent', 'ms', load.quietMs),
    ...waitsOf('Telegram', load.telegram),
    ...waitsOf('Slack', load.slack),
    ...members.map(({ role, program }) =>
      one(`memory at most: ${role}`, 'MB', peakMb(program.pid)),
    ),
  ]
}

function waitsOf(where: string, { answers, cards, taps }: Waits): Figure[] {
  const of = (name: string, waits: readonly number[]) => [
    toFigure(name, 'ms', waits),
    toFigure('… p95 of it', 'ms', [quantile(waits, 0.95)]),
  ]
  return [
    ...of(`${where}: message → answer`, answers),
    ...of(`${where}: message → card`, cards),
    ...of(`${where}: tap → final answer`, taps),
  ]
}
