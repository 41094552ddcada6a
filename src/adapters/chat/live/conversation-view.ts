import type { Card, CardStatus } from '../../../domain/approval.ts'
import type { LiveEvent, LiveSubject, Outgoing } from '../../../ports/chat.ts'
import {
  type LiveContext,
  type LiveTarget,
  Loop,
  RunningCard,
  showWhenAllowed,
} from './running-card.ts'
import { TurnPane } from './turn-pane.ts'

/**
 * Cards that were answered but do not show their call as running yet. Output of the call may arrive before that update is
 * delivered, and belongs on its card all the same.
 */
class AnsweredCards {
  readonly #cards = new Map<string, { readonly card: Card; progress?: Progress }>()

  /** Records the delivered state of a card; returns progress of its call that arrived before. */
  delivered(card: Card, messageId: string): Progress | undefined {
    const progress = this.#cards.get(messageId)?.progress
    this.#cards.delete(messageId)
    if (isAboutToRun(card.status) && this.#cards.size < maxCards)
      this.#cards.set(messageId, { card })
    return progress
  }

  /** Stores progress for a waiting card; false if there is none. */
  take(event: Progress): boolean {
    const waiting = [...this.#cards.values()].filter(({ card }) => concernsCard(event, card))
    for (const card of waiting) card.progress = event
    return waiting.length > 0
  }
}

const maxMisses = 3

const timeoutMs = 3_000

/** Shows "typing…" while a turn thinks, until a durable message is delivered. */
class Typing {
  readonly #context: LiveContext
  readonly #target: LiveTarget
  readonly #loop: Loop
  #about: Extract<LiveSubject, { kind: 'turn' }> | undefined
  #until = 0
  #misses = 0

  constructor(context: LiveContext, spot: LiveTarget) {
    this.#context = context
    this.#target = spot
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
    const showing = { ...this.#target, about, isPaced: false }
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
    await screen.showTyping(this.#target.place, signal, about.turnId)
    return messageId
  }
}

const maxCards = 8

/** Several, as a stopped turn may still stream while the next one starts. */
const maxPanes = 3

/** Transient messages of one conversation: "typing…", the text of its turn, and cards of running calls. */
export class ConversationView {
  readonly #context: LiveContext
  readonly #target: LiveTarget
  readonly #typing: Typing
  readonly #cards = new Map<string, RunningCard>()
  readonly #answeredCards = new AnsweredCards()
  readonly #panes = new Map<string, TurnPane>()
  #endedTurn: string | undefined

  constructor(context: LiveContext, spot: LiveTarget) {
    this.#context = context
    this.#target = spot
    this.#typing = new Typing(context, spot)
  }

  take(event: LiveEvent, askedBy?: string): void {
    if (event.turnId === this.#endedTurn) return
    if (event.kind === 'progress' && this.#onCards(event)) return
    if (event.kind === 'thinking') this.#typing.start(event)
    if (event.kind === 'progress') this.#typing.pause()
    this.#paneOf(event, askedBy).take(event)
  }

  delivered(message: Outgoing, messageId: string): void {
    this.#typing.pause()
    const ended = endedTurn(message)
    if (ended !== undefined) {
      this.#endedTurn = ended
      drop(this.#panes, ended)
    }
    // The text so far was delivered as a remark; the turn continues.
    if (message.kind === 'remark') drop(this.#panes, message.turnId)
    if (message.kind === 'card' || message.kind === 'card_update') {
      drop(this.#cards, messageId)
      const progress = this.#answeredCards.delivered(message.card, messageId)
      if (message.card.status.kind === 'running') this.#run(message.card, messageId, progress)
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
    const pane = new TurnPane(this.#context, { ...this.#target, askedBy }, event)
    this.#panes.set(event.turnId, pane)
    return pane
  }

  /** Whether a card of the call shows the progress, or will. */
  #onCards(event: Progress): boolean {
    const { text, elapsedMs } = event
    const running = [...this.#cards.values()].filter(({ isOver }) => !isOver)
    const latest = running.findLast(({ card }) => concernsCard(event, card))
    if (latest === undefined) return this.#answeredCards.take(event)
    const { approvalId } = latest.card
    const copies = running.filter(({ card }) => card.approvalId === approvalId)
    for (const copy of copies) copy.progress(text, elapsedMs)
    return true
  }

  #run(card: Card, messageId: string, progress: Progress | undefined): void {
    dropOldest(this.#cards, maxCards)
    const running = new RunningCard(this.#context, this.#target, card, messageId)
    this.#cards.set(messageId, running)
    if (progress !== undefined) running.progress(progress.text, progress.elapsedMs)
  }
}

type Stoppable = { stop(): void }

function drop(parts: Map<string, Stoppable>, key: string): void {
  parts.get(key)?.stop()
  parts.delete(key)
}

/** Makes room for one more entry. */
function dropOldest(parts: Map<string, Stoppable>, most: number): void {
  const [oldest] = parts.keys()
  if (parts.size >= most && oldest !== undefined) drop(parts, oldest)
}

/** Id of the turn that a message ends, if any. */
export function endedTurn(message: Outgoing): string | undefined {
  if (message.kind === 'answer') return message.turnId
  return message.kind === 'notice' ? message.endsTurn : undefined
}

/** Whether the card's call runs next. */
export function isAboutToRun({ kind }: CardStatus): boolean {
  return kind === 'approved' || kind === 'granted'
}

type Progress = Extract<LiveEvent, { kind: 'progress' }>

/** Whether progress is of the card's call; for a card without a call id, of its tool. */
function concernsCard(
  { callId, tool }: Pick<Progress, 'callId' | 'tool'>,
  card: Pick<Card, 'callId' | 'tool'>,
): boolean {
  return card.callId === undefined ? card.tool === tool : card.callId === callId
}
