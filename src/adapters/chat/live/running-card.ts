import type { Card } from '../../../domain/approval.ts'
import { lastLineOf } from '../render/draw-live.ts'
import type { LiveContext, LiveTarget } from './live-context.ts'
import { Loop } from './loop.ts'
import { type LiveAct, showWhenAllowed } from './show-when-allowed.ts'
import { StopButton } from './stop-button.ts'

const maxMisses = 3
const timeoutMs = 5_000

/** A delivered card of a running call; updates its elapsed time and the last line of output. */
export class RunningCard {
  readonly card: Card
  readonly #context: LiveContext
  readonly #target: LiveTarget
  readonly #messageId: string
  readonly #loop: Loop
  readonly #until: number
  #since: number
  #lastLine: string | undefined
  #misses = 0
  #isOver = false
  readonly #stop = new StopButton()

  constructor(context: LiveContext, spot: LiveTarget, card: Card, messageId: string) {
    const now = context.now()
    this.card = card
    this.#context = context
    this.#target = spot
    this.#messageId = messageId
    this.#since = now
    this.#until = now + context.pace.lifeMs
    this.#loop = new Loop(() => this.#step(), context.now)
    this.#loop.by(now + context.pace.tickMs)
  }

  get isOver(): boolean {
    return this.#isOver
  }

  progress(text: string, elapsedMs: number): void {
    const now = this.#context.now()
    this.#since = now - Math.max(0, elapsedMs)
    this.#lastLine = lastLineOf(text)
    this.#loop.by(now)
  }

  stop(): void {
    this.#isOver = true
    this.#loop.stop()
  }

  async #step(): Promise<number | undefined> {
    const { now, pace } = this.#context
    if (this.#isOver || now() > this.#until) return undefined
    const about = { kind: 'card', approvalId: this.card.approvalId } as const
    const showing = { ...this.#target, about, isPaced: true }
    const shown = await showWhenAllowed(this.#context, showing, this.#act)
    if (shown.kind === 'early') return shown.readyAt
    this.#misses = shown.kind === 'held' ? this.#misses + 1 : 0
    if (this.#misses >= maxMisses || (shown.kind === 'failed' && shown.isFinal)) this.#isOver = true
    return now() + pace.tickMs
  }

  readonly #act: LiveAct = async (messageId, mintStop) => {
    if (this.#isOver) return messageId
    const { screen, ended, now } = this.#context
    const lastLine = this.#lastLine === undefined ? {} : { lastLine: this.#lastLine }
    const elapsedMs = Math.max(0, now() - this.#since)
    const view = { now: now(), elapsedMs, ...lastLine }
    const signal = AbortSignal.any([ended, AbortSignal.timeout(timeoutMs)])
    const stop = () => this.#stop.token(mintStop)
    const target = { place: this.#target.place, messageId: this.#messageId, stop }
    await screen.showCard(target, this.card, view, signal)
    return messageId
  }
}
