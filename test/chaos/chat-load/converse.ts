import { setTimeout as delay } from 'node:timers/promises'
import type { Shown, Talk } from './talk.ts'

const lookEveryMs = 40

/** How long people waited, in milliseconds. */
export interface Waits {
  /** From a message to its answer. */
  readonly answers: number[]
  /** From an order of a command to its card. */
  readonly cards: number[]
  /** From the tap to the answer. */
  readonly taps: number[]
}

/** Somebody's messages, each after the answer to the one before: words and commands by turns. */
export async function converse(talk: Talk, count: number, patienceMs: number): Promise<Waits> {
  const waits: Waits = { answers: [], cards: [], taps: [] }
  const deadline = performance.now() + patienceMs
  for (let index = 1; index <= count; index += 1) {
    const order = orderOf(talk, index)
    const saidAt = performance.now()
    talk.say(order)
    if (isCommand(order)) {
      const card = await untilShown(talk, deadline, (shown) => isCardOf(shown, order))
      const shownAt = performance.now()
      waits.cards.push(shownAt - saidAt)
      await untilAnswered(talk, card, order, deadline)
      waits.taps.push(performance.now() - shownAt)
    } else {
      await untilShown(talk, deadline, (shown) => isAnswerTo(shown, order))
      waits.answers.push(performance.now() - saidAt)
    }
  }
  return waits
}

async function untilAnswered(
  talk: Talk,
  card: Shown,
  order: string,
  deadline: number,
): Promise<void> {
  let isAnswered = false
  const approving = talk.approve(card.id, () => isAnswered || performance.now() > deadline)
  try {
    await untilShown(talk, deadline, (shown) => isAnswerTo(shown, order))
  } finally {
    isAnswered = true
    await approving
  }
}

/** The message of this number; every second one is a command that asks. */
export function orderOf({ name }: Talk, index: number): string {
  return index % 2 === 0 ? `run: echo ${name}-${index} >> counter` : `word ${index} of ${name}`
}

function isCommand(order: string): boolean {
  return order.startsWith('run: ')
}

/** `heard: …`, `finished: …` or `interrupted: …`. */
function isAnswerTo({ text, asks }: Shown, order: string): boolean {
  return !asks && !isCard(text) && text.endsWith(`: ${order}`)
}

function isCardOf({ text, asks }: Shown, order: string): boolean {
  return asks && isCard(text) && text.includes(order.slice('run: '.length))
}

export function isCard(text: string): boolean {
  return text.startsWith('❯')
}

async function untilShown(
  talk: Talk,
  deadline: number,
  wanted: (shown: Shown) => boolean,
): Promise<Shown> {
  for (;;) {
    const found = talk.shown().find(wanted)
    if (found !== undefined) return found
    if (performance.now() > deadline) {
      const seen = talk.shown().map(({ text }) => `  ${text}`)
      throw new Error(`${talk.name} waits in vain; it shows\n${seen.join('\n')}`)
    }
    await delay(lookEveryMs)
  }
}
