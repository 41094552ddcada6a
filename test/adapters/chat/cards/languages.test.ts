import { expect, test } from 'vitest'
import {
  cardText,
  cardUpdateText,
  detailsText,
} from '../../../../src/adapters/chat/console/card-text.ts'
import { cardRows } from '../../../../src/adapters/chat/render/card-buttons.ts'
import { drawCard } from '../../../../src/adapters/chat/render/draw-card.ts'
import { createPaints } from '../../../../src/adapters/chat/render/paint.ts'
import { createSlackCanvas } from '../../../../src/adapters/chat/slack/render/slack-canvas.ts'
import { createTelegramCanvas } from '../../../../src/adapters/chat/telegram/outgoing/create-messenger.ts'
import { warningIn } from '../../../../src/core/approval/build-card.ts'
import type { Card, CardStatus } from '../../../../src/domain/approval.ts'
import { createLocalClock } from '../../../../src/domain/messages/language.ts'
import { english, type Messages, messagesOf } from '../../../../src/domain/messages/messages.ts'
import { aCard } from '../console/cards.ts'
import { readBlocks } from '../slack/render/read-blocks.ts'
import { readMessage } from '../telegram/render/read-message.ts'
import { cardOf, kinds } from './kinds.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const by = { by: 'Ada', at: '2026-11-21T12:03:00Z' } as const

const states: readonly CardStatus[] = [
  { kind: 'waiting' },
  { kind: 'approved', ...by, always: true },
  { kind: 'granted' },
  { kind: 'denying', ...by, until: '2026-11-21T12:08:00Z' },
  { kind: 'denied', ...by },
  { kind: 'expired', at: by.at },
  { kind: 'running', ...by },
]

/** All that is seen of a card in a language: on each platform, its details and its buttons. */
function seenOf(card: Card, messages: Messages): string {
  const telegram = createTelegramCanvas(messages)
  const slack = createSlackCanvas(messages)
  const style = { messages, paints: createPaints(false), columns: undefined, now }
  return [
    readMessage(drawCard(telegram, card, { now }).drawn).text,
    readBlocks(drawCard(slack, { ...card, open: 'details' }, { now }).drawn).text,
    ...[telegram, slack].flatMap((canvas) =>
      [card, { ...card, open: 'choice' as const }].flatMap((one) =>
        cardRows(one, canvas).flatMap((row) => row.map(({ label }) => label)),
      ),
    ),
    cardText(card, { ...style, keys: true }),
    cardText(card, { ...style, keys: false }),
    detailsText(card, { ...style, keys: true }),
  ].join('\n')
}

function phrasesIn(value: unknown): string[] {
  if (typeof value === 'string') return [value.trim()]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(phrasesIn) : []
}

const reasons = Object.values(english.cards.asks).map((ask) =>
  ask({ about: '', layer: 'operator' }),
)

const phrases = [english.display, english.terminal, english.cards.does, reasons]
  .flatMap(phrasesIn)
  .filter((phrase) => phrase.length > 3)

function englishIn(text: string): string[] {
  const own = text.split('\n')
  // Commands that people type are the same everywhere: `/approve 7`.
  return phrases.filter((phrase) =>
    own.some((line) => isWithin(phrase, line.replaceAll(/\/\w+/g, ''))),
  )
}

function isWithin(phrase: string, line: string): boolean {
  const at = line.indexOf(phrase)
  if (at < 0) return false
  return !/\w/.test(line.charAt(at - 1)) && !/\w/.test(line.charAt(at + phrase.length))
}

test('CARD-06 an English card has the phrases that are looked for', () => {
  const [kind] = kinds
  if (kind === undefined) throw new Error('there are no kinds')
  expect(englishIn(seenOf(cardOf(kind), english))).toEqual(
    expect.arrayContaining(['Approve', 'Who may answer', 'Waiting for an answer.', 'approve']),
  )
})

test.each(['de', 'es'] as const)('CARD-06 a card in %s has no phrase in English', (language) => {
  const messages = messagesOf(language)
  for (const kind of kinds) {
    const card = { ...cardOf(kind, messages), messagesKept: 2 }
    for (const status of states)
      expect(englishIn(seenOf({ ...card, status }, messages)), kind.name).toEqual([])
  }
})

test.each([
  ['en', 'Asia/Tokyo', '20 Nov 21:03 GMT+9'],
  ['de', 'Europe/Berlin', '20. Nov. 13:03 MEZ'],
  ['es', 'Europe/Madrid', '20 nov 13:03 CET'],
] as const)(
  'CARD-06 times are in the language and the zone that is set, which they name: %s, %s',
  (language, zone, time) => {
    const messages = messagesOf(language, zone)
    const card = aCard({ status: { kind: 'expired', at: '2026-11-20T12:03:00Z' } })
    const style = { messages, paints: createPaints(false), columns: undefined, keys: true, now }
    expect(cardUpdateText(card, style)).toContain(time)
    expect(
      readMessage(drawCard(createTelegramCanvas(messages), card, { now }).drawn).text,
    ).toContain(time)
  },
)

test('CARD-06 BOX-08 warnings about the box are in the language of the card, unknown ones as they were reported', () => {
  const messages = messagesOf('de')
  for (const part of ['unconfined', 'boxes'] as const)
    for (const [kind, words] of Object.entries(english.cards[part]))
      expect(warningIn(messages, words)).toBe(Reflect.get(messages.cards[part], kind))
  for (const kind of ['image', 'network'] as const)
    expect(warningIn(messages, english.cards.namedBoxes[kind]({ name: 'a/b:1' }))).toBe(
      messages.cards.namedBoxes[kind]({ name: 'a/b:1' }),
    )
  expect(warningIn(messages, 'of another version')).toBe('of another version')
})

test('CARD-06 a terminal has the clock of its machine, which needs no name', () => {
  const clock = createLocalClock('de')
  const at = new Date(2026, 10, 20, 9, 5)
  expect(clock.time(at, at)).toBe('09:05')
  expect(clock.day(at, at)).toBe('20. Nov. 09:05')
})

test('CARD-06 each reader of a card in Slack sees its times in the own zone', () => {
  const messages = messagesOf('de', 'Europe/Berlin')
  const timesOf = (status: CardStatus): unknown[] => {
    const card = {
      ...aCard({ status, expiresAt: '2026-11-22T12:03:30Z' }),
      open: 'details' as const,
    }
    const { blocks } = drawCard(createSlackCanvas(messages), card, { now }).drawn
    return [
      ...JSON.stringify(blocks).matchAll(
        /\{"type":"date"[^{}]*\{[^{}]*\}[^{}]*\{[^{}]*\}[^{}]*\}/g,
      ),
    ].map(([text]) => JSON.parse(text))
  }
  const date = (timestamp: number, fallback: string) => ({
    ...{ type: 'date', timestamp, format: '{date_short_pretty} {time}', fallback },
  })
  expect(timesOf({ kind: 'approved', ...by, always: false })).toEqual([
    date(1_795_262_580, '13:03 MEZ'),
  ])
  expect(timesOf({ kind: 'waiting' })).toEqual([date(1_795_349_010, '22. Nov. 13:03 MEZ')])
})

test('CARD-06 a card in German reads as sentences', () => {
  const messages = messagesOf('de')
  const [kind] = kinds
  if (kind === undefined) throw new Error('there are no kinds')
  const { drawn } = drawCard(createTelegramCanvas(messages), cardOf(kind, messages), { now })
  expect(readMessage(drawn).text.split('\n')).toEqual(
    expect.arrayContaining([
      '❯ Der Agent von Ada möchte einen Befehl ausführen, in shop-api:',
      'Wartet auf eine Antwort.',
    ]),
  )
})
