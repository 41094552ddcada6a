import { setTimeout as delay } from 'node:timers/promises'
import type { Db } from '../../../src/db/schema.ts'
import type { SlackStandIn } from '../../support/slack/slack.ts'
import type { TelegramStandIn } from '../../support/telegram/telegram.ts'
import { converse, type Waits } from './converse.ts'
import { slackTalks } from './slack-talks.ts'
import type { Talk } from './talk.ts'
import { telegramTalks } from './telegram-talks.ts'
import { troubleSlack, troubleTelegram } from './trouble.ts'

export interface ChatLoadOptions {
  readonly telegram: TelegramStandIn
  readonly slack: SlackStandIn
  /** Half of them on each platform. */
  readonly conversations: number
  /** Messages of each, every second of which is a command that asks. */
  readonly each: number
  /** Between the first words of two conversations, in milliseconds. */
  readonly apartMs?: number
  /** How long all of it may take, in milliseconds. */
  readonly patienceMs: number
  look<Result>(work: (db: Db) => Promise<Result>): Promise<Result>
}

export interface ChatLoad {
  readonly talks: readonly Talk[]
  readonly telegram: Waits
  readonly slack: Waits
  /** From the first message until everything was answered, and until nothing was left to be sent. */
  readonly answeredMs: number
  readonly quietMs: number
}

/** Half of the conversations on each platform, all at once, while both platforms and the ways to them fail. */
export async function runChatLoad(options: ChatLoadOptions): Promise<ChatLoad> {
  const { telegram, slack, conversations, each, apartMs = 0, patienceMs } = options
  const onTelegram = telegramTalks(telegram, Math.ceil(conversations / 2))
  const onSlack = slackTalks(slack, Math.floor(conversations / 2))
  const startedAt = performance.now()
  const all = async (talks: readonly Talk[]): Promise<Waits> => {
    const waits = await Promise.all(
      talks.map(async (talk, index) => {
        await delay(index * apartMs)
        return converse(talk, each, patienceMs)
      }),
    )
    return joined(waits)
  }
  const troubled = await troubledTalks(options, () => Promise.all([all(onTelegram), all(onSlack)]))
  const answeredMs = performance.now() - startedAt
  const talks = [...onTelegram, ...onSlack]
  await untilQuiet(options, startedAt + patienceMs)
  await tapWhatAsks(talks)
  await untilQuiet(options, startedAt + patienceMs)
  const [ofTelegram, ofSlack] = troubled
  const quietMs = performance.now() - startedAt
  return { talks, telegram: ofTelegram, slack: ofSlack, answeredMs, quietMs }
}

async function troubledTalks<Result>(
  { telegram, slack }: ChatLoadOptions,
  talk: () => Promise<Result>,
): Promise<Result> {
  using _telegram = troubleTelegram(telegram)
  await using _slack = troubleSlack(slack)
  return await talk()
}

function joined(waits: readonly Waits[]): Waits {
  return {
    answers: waits.flatMap(({ answers }) => answers),
    cards: waits.flatMap(({ cards }) => cards),
    taps: waits.flatMap(({ taps }) => taps),
  }
}

/** A copy of a card that nobody knows of, as the answer to its sending was lost, asks on until it is tapped. */
async function tapWhatAsks(talks: readonly Talk[]): Promise<void> {
  for (const talk of talks) {
    const asking = talk.shown().filter(({ asks }) => asks)
    for (const { id } of asking) await talk.approve(id)
  }
}

/** Waits until everything is confirmed, handled and sent. */
async function untilQuiet(
  { telegram, slack, look }: ChatLoadOptions,
  deadline: number,
): Promise<void> {
  for (;;) {
    const isConfirmed = telegram.pendingUpdates().length === 0 && slack.quiet
    const open = await look(countOpen)
    if (isConfirmed && open === 0) return
    if (performance.now() > deadline)
      throw new Error(`it does not come to rest: ${open} rows are open`)
    await delay(100)
  }
}

async function countOpen(db: Db): Promise<number> {
  const waiting = await db
    .selectFrom('inbound_event')
    .select('id')
    .where('handled_at', 'is', null)
    .execute()
  const live = await db.selectFrom('turn').select('id').where('ended_at', 'is', null).execute()
  const unsent = await db.selectFrom('outbox').select('id').where('state', '=', 'pending').execute()
  return waiting.length + live.length + unsent.length
}
