import { expect } from 'vitest'
import type { Db } from '../../../src/db/schema.ts'
import type { Place } from '../support/place.ts'
import { answersTo, type Crowd, cardsOf, type Order } from './crowd.ts'

/** How soon after a sending its gateway must have died for its record to have died with it, in milliseconds. */
const recordedWithinMs = 2_000

/** Figures for people. */
export interface Reckoning {
  readonly orders: number
  readonly interrupted: number
  readonly unbegun: number
  readonly answersTwice: number
  readonly cardsTwice: number
  readonly medianMs: number
  readonly p95Ms: number
  readonly longestMs: number
}

/**
 * Holds what people were shown and what commands wrote against what the rows say: every order answered, an answer shown
 * twice only where a gateway died (at `deaths`, in Unix milliseconds) between its sending and its record, every
 * command at most once, and once if it is told as done.
 */
export async function reckon(
  place: Place,
  crowd: Crowd,
  deaths: readonly number[],
): Promise<Reckoning> {
  const { orders } = crowd
  const answers = orders.map((order) => ({ order, copies: answersTo(order) }))
  expect(answers.filter(({ copies }) => copies.length === 0).map(textOf), 'lost').toEqual([])
  const twice = answers.filter(({ copies }) => copies.length > 1)
  const unexplained = twice.filter(
    ({ copies }) => !copies.slice(0, -1).every(({ at }) => mayBeUnrecorded(at, deaths)),
  )
  expect(unexplained.map(textOf), 'doubled though nobody died').toEqual([])
  const told = answers.map(({ order, copies }) => ({ order, text: copies[0]?.text ?? '' }))
  const counts = await expectEffects(place, told)
  const waits = orders.map(({ at, answeredAt = Infinity }) => answeredAt - at)
  return {
    orders: orders.length,
    ...counts,
    answersTwice: twice.reduce((sum, { copies }) => sum + copies.length - 1, 0),
    cardsTwice: orders.filter((order) => cardsOf(order).length > 1).length,
    medianMs: quantile(waits, 0.5),
    p95Ms: quantile(waits, 0.95),
    longestMs: Math.max(...waits),
  }
}

export function inWords(figures: Reckoning): string {
  const { orders, interrupted, unbegun, answersTwice, cardsTwice, medianMs, p95Ms, longestMs } =
    figures
  return [
    `${orders} orders, 0 unanswered, 0 commands ran twice`,
    `${interrupted} told as interrupted, ${unbegun} told as never begun`,
    `${answersTwice} answers and ${cardsTwice} cards sent again as their record died with the gateway`,
    `order → answer ${seconds(medianMs)} (p50), ${seconds(p95Ms)} (p95), ${seconds(longestMs)} at most`,
  ].join('; ')
}

interface Told {
  readonly order: Order
  readonly text: string
}

async function expectEffects(place: Place, told: readonly Told[]) {
  const lines = place.counter()
  const counts = Map.groupBy(lines, (line) => line)
  const ranTwice = [...counts.values()].filter(({ length }) => length > 1)
  expect(ranTwice, 'commands that ran twice').toEqual([])
  const states = await place.look(readStates)
  const ended = told.map(({ order, text }) => ({
    word: order.word,
    text,
    ran: counts.has(order.word),
    end: states.get(order.word) ?? 'no call',
  }))
  expect(
    ended.filter(
      ({ end }) => !/^(succeeded|interrupted|failed server_error|cancelled cancelled)$/u.test(end),
    ),
  ).toEqual([])
  const succeeded = ended.filter(({ end }) => end === 'succeeded')
  expect(
    succeeded.filter(({ ran, text }) => !ran || !text.startsWith('finished')),
    'told as done',
  ).toEqual([])
  const interrupted = ended.filter(({ end }) => end === 'interrupted')
  expect(interrupted.filter(({ text }) => !text.startsWith('interrupted'))).toEqual([])
  const unbegun = ended.filter(({ end }) => /^(?:failed|cancelled)/u.test(end))
  expect(
    unbegun.filter(({ ran }) => ran),
    'told as never begun',
  ).toEqual([])
  return { interrupted: interrupted.length, unbegun: unbegun.length }
}

/** How each word's call ended. An order has one call. */
async function readStates(db: Db): Promise<ReadonlyMap<string, string>> {
  const calls = await db.selectFrom('tool_call').selectAll().execute()
  const words = calls.map((call) => {
    const word = /echo (p\d+-\d+) /u.exec(call.arguments)?.[1] ?? call.arguments
    const category =
      call.error_category === null || call.state === 'interrupted' ? '' : ` ${call.error_category}`
    return [word, `${call.state}${category}`] as const
  })
  const states = new Map(words)
  expect(states.size, 'one call an order').toBe(calls.length)
  return states
}

function mayBeUnrecorded(sentAt: number, deaths: readonly number[]): boolean {
  return deaths.some((at) => at >= sentAt - 50 && at <= sentAt + recordedWithinMs)
}

function textOf({
  order,
  copies,
}: {
  readonly order: Order
  readonly copies: readonly { readonly at: number; readonly text: string }[]
}): string {
  const shown = copies.map(({ at, text }) => `${new Date(at).toISOString()} ${text}`)
  return [order.text, ...shown].join('\n')
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
