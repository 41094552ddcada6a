import type { Card } from '../../../domain/approval.ts'
import type { LiveEvent, LiveSubject, Outgoing } from '../../../ports/chat.ts'
import { BegunCards } from './begun-cards.ts'
import { endedBy } from './ended-by.ts'
import { isAbout, type Progress } from './is-about.ts'
import type { LiveContext, LiveSpot } from './live-context.ts'
import { Loop } from './loop.ts'
import { RunningCard } from './running-card.ts'
import { showWhenAllowed } from './show-when-allowed.ts'
import { TurnPane } from './turn-pane.ts'

const maxMisses = 3

const timeoutMs = 3_000

/** "typing…" while a turn thinks, until something durable comes. */
class Typing {
  readonly #context: LiveContext
  readonly #spot: LiveSpot
  readonly #loop: Loop
  #about: Extract<LiveSubject, { kind: 'turn' }> | undefined
  #until = 0
  #misses = 0

  constructor(context: LiveContext, spot: LiveSpot) {
    this.#context = context
    this.#spot = spot
    this.#loop = new Loop(() => this.#step(), context.now)
  }

  start({ turnId, epoch }: LiveEvent): void {
    const { now, pace } = this.#context
    const isOn = this.#about !== undefined
    this.#about = { kind: 'turn', turnId, epoch }
    this.#until = now() + pace.lifeMs
    this.#misses = 0
    if (!isOn) this.#loop.by(now())
  }

  pause(): void {
    this.#about = undefined
  }

  stop(): void {
    this.pause()
    this.#loop.stop()
  }

  async #step(): Promise<number | undefined> {
    const { now, pace } = this.#context
    const about = this.#about
    if (about === undefined || now() > this.#until) return undefined
    const showing = { ...this.#spot, about, isPaced: false }
    const shown = await showWhenAllowed(this.#context, showing, (messageId) => this.#act(messageId))
    if (shown.kind === 'early') return shown.readyAt
    this.#misses = shown.kind === 'shown' ? 0 : this.#misses + 1
    if (this.#misses >= maxMisses || (shown.kind === 'failed' && shown.isFinal)) this.pause()
    return now() + pace.typingMs
  }

  async #act(messageId: string | undefined): Promise<string | undefined> {
    const about = this.#about
    if (about === undefined) return messageId
    const { screen, ended } = this.#context
    const signal = AbortSignal.any([ended, AbortSignal.timeout(timeoutMs)])
    await screen.showTyping(this.#spot.place, signal, about.turnId)
    return messageId
  }
}

const maxCards = 8
/** A turn that was stopped may still stream while the next one begins. */
const maxPanes = 3

/** What passes in one conversation: "typing…", the text of its turn, and the cards whose calls run. */
export class LivePlace {
  readonly #context: LiveContext
  readonly #spot: LiveSpot
  readonly #typing: Typing
  readonly #cards = new Map<string, RunningCard>()
  readonly #begun = new BegunCards()
  readonly #panes = new Map<string, TurnPane>()
  #ended: string | undefined

  constructor(context: LiveContext, spot: LiveSpot) {
    this.#context = context
    this.#spot = spot
    this.#typing = new Typing(context, spot)
  }

  take(event: LiveEvent, askedBy?: string): void {
    if (event.turnId === this.#ended) return
    if (event.kind === 'progress' && this.#onCards(event)) return
    if (event.kind === 'thinking') this.#typing.start(event)
    if (event.kind === 'progress') this.#typing.pause()
    this.#paneOf(event, askedBy).take(event)
  }

  delivered(message: Outgoing, messageId: string): void {
    this.#typing.pause()
    const ended = endedBy(message)
    if (ended !== undefined) {
      this.#ended = ended
      drop(this.#panes, ended)
    }
    // What was written so far has been said; the turn goes on.
    if (message.kind === 'remark') drop(this.#panes, message.turnId)
    if (message.kind === 'card' || message.kind === 'card_update') {
      drop(this.#cards, messageId)
      const said = this.#begun.shown(message.card, messageId)
      if (message.card.status.kind === 'running') this.#run(message.card, messageId, said)
    }
  }

  stop(): void {
    const parts = [this.#typing, ...this.#panes.values(), ...this.#cards.values()]
    for (const part of parts) part.stop()
  }

  #paneOf(event: LiveEvent, askedBy: string | undefined): TurnPane {
    const known = this.#panes.get(event.turnId)
    if (known !== undefined) return known
    dropOldest(this.#panes, maxPanes)
    const pane = new TurnPane(this.#context, { ...this.#spot, askedBy }, event)
    this.#panes.set(event.turnId, pane)
    return pane
  }

  /** Whether a card of the call shows it, or will. */
  #onCards(event: Progress): boolean {
    const { text, elapsedMs } = event
    const running = [...this.#cards.values()].filter(({ isOver }) => !isOver)
    const latest = running.findLast(({ card }) => isAbout(event, card))
    if (latest === undefined) return this.#begun.take(event)
    const { approvalId } = latest.card
    const copies = running.filter(({ card }) => card.approvalId === approvalId)
    for (const copy of copies) copy.progress(text, elapsedMs)
    return true
  }

  #run(card: Card, messageId: string, said: Progress | undefined): void {
    dropOldest(this.#cards, maxCards)
    const running = new RunningCard(this.#context, this.#spot, card, messageId)
    this.#cards.set(messageId, running)
    if (said !== undefined) running.progress(said.text, said.elapsedMs)
  }
}

type Stoppable = { stop(): void }

function drop(parts: Map<string, Stoppable>, key: string): void {
  parts.get(key)?.stop()
  parts.delete(key)
}

/** Makes room for one more. */
function dropOldest(parts: Map<string, Stoppable>, most: number): void {
  const [oldest] = parts.keys()
  if (parts.size >= most && oldest !== undefined) drop(parts, oldest)
}
