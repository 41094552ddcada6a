import type { Card } from '../../../domain/approval.ts'
import type { LiveSubject, TransientMessageLock } from '../../../ports/chat.ts'
import type { Log } from '../../../util/log.ts'
import type { Chat } from '../outgoing/messenger.ts'
import { lastLineOf } from '../render/draw-live.ts'
import type { ChatPacing } from './chat-pacing.ts'
import type { LivePace } from './live-pace.ts'
import type { LiveScreen } from './live-screen.ts'

/** Repeats a step, never twice at once, and no earlier than the previous run asked for. */
export class Loop {
  readonly #step: () => Promise<number | undefined>
  readonly #now: () => number
  #timer: NodeJS.Timeout | undefined
  #dueAt: number | undefined
  #isRunning = false
  #isStopped = false

  /** `step` must not reject; it returns the time of the next run, or undefined to wait for `by`. */
  constructor(step: () => Promise<number | undefined>, now: () => number) {
    this.#step = step
    this.#now = now
  }

  /** Runs no later than `at`, or as soon as the current run ends. */
  by(at: number): void {
    if (this.#isStopped || (this.#dueAt !== undefined && this.#dueAt <= at)) return
    this.#dueAt = at
    if (!this.#isRunning) this.#arm(at)
  }

  /** Prevents further runs. */
  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  #arm(at: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#run(), Math.max(0, at - this.#now()))
  }

  async #run(): Promise<void> {
    this.#dueAt = undefined
    this.#isRunning = true
    const next = await this.#step()
    this.#isRunning = false
    if (next !== undefined) this.by(next)
    if (this.#dueAt !== undefined && !this.#isStopped) this.#arm(this.#dueAt)
  }
}

/** Stop button of a transient message; all edits share its token. */
export class StopButton {
  #token: string | undefined

  /** Creates the token once. Undefined if it could not be stored; the next edit tries again. */
  async token(mint: () => Promise<string>): Promise<string | undefined> {
    this.#token ??= await mint().catch(() => undefined)
    return this.#token
  }
}

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

interface TransientAction extends LiveTarget {
  readonly about: LiveSubject
  /** False for typing indicators, which do not count as messages. */
  readonly isPaced: boolean
}

/** Action to perform while the lock is held. */
export type LiveAct = Parameters<TransientMessageLock['hold']>[2]

/** Performs an action if chat limits and lock allow it. Never rejects. */
export async function showWhenAllowed(
  context: LiveContext,
  showing: TransientAction,
  act: LiveAct,
): Promise<ShowOutcome> {
  const readyAt = retryAt(context, showing)
  if (readyAt !== undefined) return { kind: 'early', readyAt }
  const go = () => hold(context, showing, act)
  const running = showing.isPaced ? context.pacing.take(showing.chat, go) : go()
  context.operations.add(running)
  return running.finally(() => context.operations.delete(running))
}

function retryAt(
  { pacing, now }: LiveContext,
  { place, chat, about, isPaced }: TransientAction,
): number | undefined {
  const subject = about.kind === 'turn' ? about.turnId : about.approvalId
  if (isPaced) return pacing.retryAt(chat, `${place} ${subject}`)
  const openAt = pacing.openAt(chat)
  return openAt > now() ? openAt : undefined
}

async function hold(
  context: LiveContext,
  { place, chat, about }: TransientAction,
  act: LiveAct,
): Promise<ShowOutcome> {
  let shown: ShowOutcome = { kind: 'held' }
  try {
    await context.lock.hold(place, about, async (messageId, mintStop) => {
      try {
        const id = await act(messageId, mintStop)
        shown = { kind: 'shown' }
        return id
      } catch (error) {
        shown = failure(context, chat, error)
        return messageId
      }
    })
  } catch {
    context.log.debug({ about: about.kind }, 'failed to hold the lock for transient messages')
  }
  return shown
}

function failure({ screen, pacing, log }: LiveContext, chat: Chat, error: unknown): ShowOutcome {
  try {
    const failed = screen.toDelivery(error)
    if (failed.kind === 'busy') pacing.backOff(chat, failed.afterMs, failed.isOfMethod)
    return { kind: 'failed', isFinal: failed.kind === 'refused' || failed.kind === 'moved' }
  } catch {
    log.warn({}, 'failed to show transient message: unknown error')
    return { kind: 'failed', isFinal: true }
  }
}

/** Dependencies shared by all parts of a live view. */
export interface LiveContext {
  readonly screen: LiveScreen
  readonly lock: TransientMessageLock
  readonly log: Log
  readonly now: () => number
  readonly pace: LivePace
  readonly pacing: ChatPacing
  /** Aborts when the view closes. */
  readonly ended: AbortSignal
  /** Operations under way; closing the view waits for them. */
  readonly operations: Set<Promise<ShowOutcome>>
}

/** A conversation and the chat that contains it. */
export interface LiveTarget {
  readonly place: string
  readonly chat: Chat
}

/** Result of showing a transient message. */
type ShowOutcome =
  | { readonly kind: 'shown' }
  /** Too early; try again at `readyAt`. */
  | { readonly kind: 'early'; readonly readyAt: number }
  /** A durable message has priority, or the subject has ended. */
  | { readonly kind: 'held' }
  /** `isFinal`: further attempts are useless. */
  | { readonly kind: 'failed'; readonly isFinal: boolean }
