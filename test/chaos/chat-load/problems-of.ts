import { isCard, orderOf } from './converse.ts'
import type { Lost } from './lost-texts.ts'
import type { Rows } from './rows-of.ts'
import type { Talk } from './talk.ts'

interface Load {
  readonly talks: readonly Talk[]
  /** Messages of each conversation. */
  readonly each: number
  readonly rows: Rows
  readonly lost: readonly Lost[]
}

/**
 * CHAT-06: what is not as it must be, in words. A message may stand in a chat a second time only where its first sending was
 * carried out and never answered, which nobody on this side can tell from one that was not (`lost`).
 */
export function problemsOf({ talks, each, rows, lost }: Load): readonly string[] {
  const calls = rows.calls.filter(
    ({ state, audited }) => state !== 'succeeded' || audited !== 'decided settled',
  )
  return [
    ...rows.open,
    ...rows.audit.broken.map(({ why }) => `the audit: ${why}`),
    ...rows.answers.filter((count) => count !== 1).map((count) => `a turn has ${count} answers`),
    ...calls.map(({ state, audited }) => `a call ${state}, its audit: ${audited}`),
    ...talks.flatMap((talk) => inTalk(talk, each, rows, lost)),
  ]
}

function inTalk(talk: Talk, each: number, rows: Rows, lost: readonly Lost[]): readonly string[] {
  const { place = '', name } = talk
  const orders = Array.from({ length: each }, (_, index) => orderOf(talk, index + 1))
  const said = rows.said.get(place) ?? []
  const isTold =
    said.length === orders.length &&
    said.every((text, index) => text.endsWith(orders[index] ?? '\n'))
  const told = isTold ? [] : [`${name}: the model was told ${JSON.stringify(said)}`]
  const texts = lost.filter((one) => one.place === place).map(({ text }) => text)
  return [...told, ...shownOf(talk, rows.sent.get(place) ?? [], texts)]
}

/** What is shown is what was sent, in order, and nothing besides but what was lost. */
function shownOf(talk: Talk, sent: readonly string[], lost: readonly string[]): readonly string[] {
  const left = [...lost]
  let at = 0
  const extra = talk.shown().filter((shown) => {
    if (isCard(shown.text)) return false
    if (shown.text === sent[at]) {
      at += 1
      return false
    }
    return !take(left, (text) => text === shown.text)
  })
  const cards = talk.shown().filter(({ text }) => isCard(text))
  const asking = cards.filter(({ asks }) => asks)
  const twice = cards.filter(
    (card, index) =>
      cards.slice(0, index).some((one) => questionOf(one) === questionOf(card)) &&
      !take(left, (text) => isCard(text) && questionOf({ text }) === questionOf(card)),
  )
  return [
    ...extra.map(({ text }) => `${talk.name}: shown and never sent, or not in its order: ${text}`),
    ...sent
      .slice(at)
      .map((text) => `${talk.name}: sent and not shown, or not in its order: ${text}`),
    ...twice.map(({ text }) => `${talk.name}: a card came twice: ${text}`),
    ...asking.map(({ text }) => `${talk.name}: a card asks on: ${text}`),
  ]
}

/** Takes the first that satisfies from what was lost; false: there is none. */
function take(left: string[], wanted: (text: string) => boolean): boolean {
  const index = left.findIndex(wanted)
  if (index !== -1) left.splice(index, 1)
  return index !== -1
}

function questionOf({ text }: { readonly text: string }): string {
  return /Approval \d+/u.exec(text)?.[0] ?? ''
}
