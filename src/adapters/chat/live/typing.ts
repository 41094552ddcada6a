import type { LiveEvent, LiveSubject } from '../../../ports/chat.ts'
import type { LiveContext, LiveSpot } from './live-context.ts'
import { Loop } from './loop.ts'
import { showWhenAllowed } from './show-when-allowed.ts'

const maxMisses = 3
const timeoutMs = 3_000

/** "typing…" while a turn thinks, until something durable comes. */
export class Typing {
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
