import type { LiveEvent, LiveSubject } from '../../../../../ports/chat.ts'
import { toApiSignal } from '../../api.ts'
import { type Place, threadOf } from '../place.ts'
import type { LiveContext } from './live-context.ts'
import { Loop } from './loop.ts'
import { showWhenAllowed } from './show-when-allowed.ts'

const maxMisses = 3
const timeoutMs = 3_000

/** "typing…" while a turn thinks, until something durable comes. */
export class Typing {
  readonly #context: LiveContext
  readonly #name: string
  readonly #place: Place
  readonly #loop: Loop
  #about: LiveSubject | undefined
  #until = 0
  #misses = 0

  constructor(context: LiveContext, name: string, place: Place) {
    this.#context = context
    this.#name = name
    this.#place = place
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
    const showing = { name: this.#name, place: this.#place, about, isPaced: false }
    const shown = await showWhenAllowed(this.#context, showing, (messageId) => this.#act(messageId))
    if (shown.kind === 'early') return shown.readyAt
    this.#misses = shown.kind === 'shown' ? 0 : this.#misses + 1
    if (this.#misses >= maxMisses || (shown.kind === 'failed' && shown.isFinal)) this.pause()
    return now() + pace.typingMs
  }

  async #act(messageId: string | undefined): Promise<string | undefined> {
    if (this.#about === undefined) return messageId
    const { api, ended } = this.#context
    const signal = toApiSignal(AbortSignal.any([ended, AbortSignal.timeout(timeoutMs)]))
    await api.sendChatAction(this.#place.chatId, 'typing', threadOf(this.#place), signal)
    return messageId
  }
}
