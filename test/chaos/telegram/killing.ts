import { expect } from 'vitest'
import type { RealProgram } from '../../support/real-product.ts'
import type { ChatHandle } from '../../support/telegram/chat-handle.ts'
import type { SeenMessage } from '../../support/telegram/seen.ts'
import type { Tap } from '../../support/telegram/taps.ts'
import type { Recovery } from '../support/figures.ts'
import { killNow, processesOf } from '../support/processes.ts'
import { untilAsked } from '../support/steps.ts'
import { ada, type ChatPlace, untilServing } from './chat-place.ts'
import type { Moment } from './moments.ts'
import { commandOf, type Round } from './round.ts'
import { untilAllDone } from './until-all-done.ts'

/** A person's messages to a product that is killed once in each of them and started again. */
export class Killing implements AsyncDisposable {
  rounds = 0
  readonly #at: ChatPlace
  readonly #recovery: Recovery
  readonly #chat: ChatHandle
  #program: RealProgram
  #doubledCards = 0
  #doubledAnswers = 0
  #interrupted = 0
  #unbegun = 0
  #untold = 0

  constructor(at: ChatPlace, recovery: Recovery) {
    this.#at = at
    this.#recovery = recovery
    this.#chat = at.telegram.privateChat(ada)
    this.#program = at.start()
  }

  async begin(): Promise<void> {
    await untilServing(this.#at.telegram, this.#program)
  }

  /** A message whose command needs a tap, and the kill at its moment. Fails when something is not as it must be. */
  async round(moment: Moment): Promise<void> {
    this.rounds += 1
    const round = this.#prepare(moment)
    const tap = await this.#live(moment, round)
    const taps = [tap, ...(await this.#tapWhatStillAsks(round))]
    await this.#look(moment, round, taps)
  }

  figures(): string {
    return [
      `${this.rounds} rounds`,
      `${this.#interrupted} commands told as interrupted (${this.#unbegun} of them before they began), 0 ran twice`,
      `${this.#doubledCards} cards and ${this.#doubledAnswers} answers sent twice`,
      `${this.#untold} taps told by the card alone`,
    ].join(', ')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program[Symbol.asyncDispose]()
  }

  #prepare({ killed }: Moment): Round {
    const { place, telegram } = this.#at
    const messages = this.rounds
    return {
      place,
      telegram,
      chat: this.#chat,
      name: `round${messages}`,
      messages,
      kill: () => {
        const found = processesOf(place.dataDir)
        killNow(found.flatMap(({ pid, part }) => (killed.includes(part) ? [pid] : [])))
      },
      settled: () => untilAllDone(place, messages),
    }
  }

  /** Says it, is killed, starts again, and waits until all is done. Answers the tap. */
  async #live(moment: Moment, round: Round): Promise<Tap> {
    const order = `run: ${commandOf(round)}`
    if (moment.behind === 'message') {
      const { sprung } = await moment.trap(round)
      this.#chat.send(ada, order)
      await this.#reach(moment, sprung)
      const early = moment.isTappedAway ? this.#tap(this.#first(round)) : undefined
      const startedAt = await this.#startAgain()
      const tap = early ?? this.#tap(await this.#untilShown(moment, round))
      await round.settled()
      this.#recovery.add(startedAt)
      return tap
    }
    this.#chat.send(ada, order)
    await untilAsked(round.place)
    const { sprung } = await moment.trap(round)
    const tap = this.#tap(this.#first(round))
    await this.#reach(moment, sprung)
    const startedAt = await this.#startAgain()
    await round.settled()
    this.#recovery.add(startedAt)
    return tap
  }

  async #reach(moment: Moment, sprung: Promise<void>): Promise<void> {
    try {
      await sprung
    } catch (error) {
      throw new Error(`not reached: ${moment.name}`, { cause: error })
    }
    await this.#program.ended
  }

  async #startAgain(): Promise<number> {
    this.#program = this.#at.start()
    await untilServing(this.#at.telegram, this.#program)
    return this.#program.startedAt
  }

  /** The copy of the card that this round taps, as soon as it is there and recorded. */
  async #untilShown(moment: Moment, round: Round): Promise<SeenMessage> {
    await untilAsked(round.place)
    return moment.tapped === 'last' ? this.#last(round) : this.#first(round)
  }

  #tap(card: SeenMessage): Tap {
    return this.#chat.tap(ada, card.id, 'Approve')
  }

  #cards({ name }: Round): readonly SeenMessage[] {
    return this.#chat
      .botMessages()
      .filter(({ text }) => text.startsWith('❯') && text.includes(`${name}-begin`))
  }

  #first(round: Round): SeenMessage {
    return found(this.#cards(round)[0])
  }

  #last(round: Round): SeenMessage {
    return found(this.#cards(round).at(-1))
  }

  /** A copy that nobody knows of asks on until it is tapped: then it tells what became of the question. */
  async #tapWhatStillAsks(round: Round): Promise<readonly Tap[]> {
    const asking = this.#cards(round).filter(({ buttons }) => buttons.length > 0)
    const taps = asking.map((card) => this.#tap(card))
    for (const tap of taps) expect((await tap.answered).text).toContain('Already approved')
    await this.#at.telegram.waitFor(
      () => this.#cards(round).every(({ buttons }) => buttons.length === 0),
      { what: 'every copy of the card tells what became of it' },
    )
    await round.settled()
    return taps
  }

  async #look(moment: Moment, round: Round, taps: readonly Tap[]): Promise<void> {
    const { telegram, place } = this.#at
    await telegram.waitFor(() => telegram.pendingUpdates().length === 0, {
      what: 'every update is confirmed',
    })
    const ran = place.counter().filter((line) => line === `${round.name}-begin`).length
    expect(ran, `${moment.name}: how often the command ran`).toBeLessThanOrEqual(1)
    const cards = this.#cards(round)
    for (const { text, buttons } of cards) {
      expect(text, moment.name).toMatch(/Approved by Ada.* → (?!running)/u)
      expect(buttons, moment.name).toEqual([])
    }
    const answers = this.#answers(round)
    expect(cards, moment.name).toHaveLength(moment.doubled === 'card' ? 2 : 1)
    // Where the answer was being shown as it came, what is sent again is an edit of it.
    const allowed = moment.doubled === 'answer' ? [1, 2] : [1]
    expect(allowed, `${moment.name}: ${answers.length} answers`).toContain(answers.length)
    this.#doubledCards += cards.length - 1
    this.#doubledAnswers += answers.length - 1
    const isInterrupted = answers[0]?.text.startsWith('interrupted') === true
    // Killed between the worker's word that it begins and the beginning: told so, and never begun (LOOP-05).
    const mayBeUnbegun = isInterrupted && moment.behind === 'tap'
    if (!mayBeUnbegun) expect(ran, `${moment.name}: the command ran`).toBe(1)
    if (isInterrupted) this.#interrupted += 1
    if (ran === 0) this.#unbegun += 1
    this.#untold += taps.filter(({ answer }) => answer === undefined).length
    this.#expectNothingElse(round)
  }

  #answers(round: Round): readonly SeenMessage[] {
    const words = ['finished', 'interrupted'].map((word) => `${word}: run: ${commandOf(round)}`)
    return this.#chat.botMessages().filter(({ text }) => words.includes(text))
  }

  /** Everything that the bot has written since this round's message is a card or an answer of it. */
  #expectNothingElse(round: Round): void {
    const all = this.#chat.messages()
    const from = all.findIndex(({ text }) => text === `run: ${commandOf(round)}`)
    const known = new Set([...this.#cards(round), ...this.#answers(round)].map(({ id }) => id))
    const others = all.slice(from + 1).filter(({ id }) => !known.has(id))
    expect(others.map(({ text }) => text)).toEqual([])
  }
}

function found(card: SeenMessage | undefined): SeenMessage {
  if (card === undefined) throw new Error('no card is shown')
  return card
}
