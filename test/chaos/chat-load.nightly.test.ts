import { createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createApart } from '../support/apart/create-apart.ts'
import { Fleet } from '../support/apart/fleet.ts'
import { createSlack } from '../support/slack/slack.ts'
import { lostOnSlack, lostOnTelegram } from './chat-load/lost-texts.ts'
import { problemsOf } from './chat-load/problems-of.ts'
import { rowsOf } from './chat-load/rows-of.ts'
import { runChatLoad } from './chat-load/run-chat-load.ts'
import { slackIds } from './chat-load/slack-talks.ts'
import { telegramIds } from './chat-load/telegram-talks.ts'
import { slackLimits, telegramLimits } from './chat-load/trouble.ts'
import { inWords, mostMb } from './chat-load/words.ts'
import { say } from './support/figures.ts'
import { earlyCalls } from './telegram/what-went.ts'

/** `npm run bench -- chat-load` has 200. */
const conversations = 24
const each = 3
const crew = { gateway: 1, agent: 2, worker: 1 }

test('CHAT-06 TG-05 SLACK-01 LOOP-04 REL-03 AUD-01 conversations on Telegram and Slack at once, while calls are refused, limited and lost, and connections break: every message is answered once and in order', async () => {
  const half = conversations / 2
  await using slack = await createSlack({
    limits: slackLimits,
    retryDelaysMs: [0, ...Array<number>(20).fill(1_000)],
  })
  const { botToken, appToken, apiUrl } = slack
  await using apart = await createApart({
    people: telegramIds(half),
    telegram: { limits: telegramLimits },
    slack: { botToken, appToken, apiUrl, people: slackIds(half) },
  })
  const { telegram, place } = apart
  const fleet = new Fleet(apart, crew)
  await fleet.ready()
  await slack.waitFor(() => slack.sockets.open > 0, { timeoutMs: 60_000 })
  const load = await runChatLoad({
    ...{ telegram, slack, conversations, each, look: place.look },
    patienceMs: 150_000,
  })
  const key = createPublicKey(readFileSync(join(place.dataDir, 'keys', 'signing-key.pem')))
  const check = (_kid: string, body: string, signature: string) =>
    verify(null, Buffer.from(body), key, Buffer.from(signature, 'base64'))
  const rows = await place.look((db) => rowsOf(db, check))
  const lost = [...lostOnTelegram(telegram), ...lostOnSlack(slack)]
  say(`${conversations} conversations: ${inWords(load, telegram, slack)}, ${mostMb(fleet.seats)}`)
  expect(problemsOf({ talks: load.talks, each, rows, lost })).toEqual([])
  const ran = Map.groupBy(place.counter(), (line) => line)
  expect([...ran.values()].filter(({ length }) => length > 1)).toEqual([])
  expect(ran.size).toBe(conversations * Math.floor(each / 2))
  expect(earlyCalls(telegram.calls)).toEqual([])
  expect(fleet.falls).toEqual([])
}, 240_000)
