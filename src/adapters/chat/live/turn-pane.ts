import type { LiveEvent } from '../../../ports/chat.ts'
import { dropOldest } from '../../../util/drop-oldest.ts'
import { assertNever } from '../../../util/guards.ts'
import type { RunningStep, RunningTurn } from '../render/draw-live.ts'
import { lastLineOf } from '../render/draw-live.ts'
import type { TransientMessage } from './live-screen.ts'
import {
  type LiveAct,
  type LiveContext,
  type LiveTarget,
  Loop,
  StopButton,
  showWhenAllowed,
} from './running-card.ts'

const maxSteps = 30

/** The steps of a turn. Events report what runs, but not when it ends. */
class TurnSteps {
  readonly #steps = new Map<string, Step>()

  progress(event: Extract<LiveEvent, { kind: 'progress' }>, now: number): void {
    const { callId, tool, text, elapsedMs } = event
    const since = now - Math.max(0, elapsedMs)
    this.#steps.delete(callId)
    this.#steps.set(callId, { tool, lastLine: lastLineOf(text), since, endedAt: undefined })
    dropOldest(this.#steps, maxSteps)
  }

  /** Marks all steps as ended, because the model is thinking or writing again. */
  end(now: number): void {
    for (const [id, step] of this.#steps) {
      if (step.endedAt === undefined) this.#steps.set(id, { ...step, endedAt: now })
    }
  }

  /** The running step that reported last. */
  get current(): Step | undefined {
    return [...this.#steps.values()].findLast(({ endedAt }) => endedAt === undefined)
  }

  at(now: number): RunningStep[] {
    return [...this.#steps].map(([id, { tool, lastLine, since, endedAt }]) => {
      const elapsedMs = Math.max(0, (endedAt ?? now) - since)
      return { id, tool, lastLine, elapsedMs, isOver: endedAt !== undefined }
    })
  }
}

/** More than is shown, so that the renderer sees the start of constructs that are cut. */
const maxKeptText = 32_000
/** Shorter than the lock's lease. */
const timeoutMs = 7_000
const maxMisses = 5

/** Target of a turn, and the caller who asked for it. */
export interface TurnPaneTarget extends LiveTarget {
  readonly askedBy: string | undefined
}

/** Shows a running turn: the text so far, and a line with the current activity. */
export class TurnPane {
  readonly turnId: string
  readonly #context: LiveContext
  readonly #target: TurnPaneTarget
  readonly #loop: Loop
  readonly #firstAt: number
  #epoch: number
  #lastEventAt: number
  #text = ''
  #steps = new TurnSteps()
  #isThinking = false
  #revision = 0
  #misses = 0
  #isOver = false
  /** Undefined if nothing has been shown yet. */
  #shownAs: TransientMessage['kind'] | undefined
  readonly #stop = new StopButton()

  constructor(context: LiveContext, spot: TurnPaneTarget, first: LiveEvent) {
    this.turnId = first.turnId
    this.#context = context
    this.#target = spot
    this.#epoch = first.epoch
    this.#lastEventAt = context.now()
    this.#firstAt = this.#lastEventAt + context.pace.firstMs
    this.#loop = new Loop(() => this.#step(), context.now)
  }

  /** Handles an event. A higher epoch means that another agent has taken over the turn and starts a new text (INT-2). */
  take(event: LiveEvent): void {
    if (event.epoch < this.#epoch) return
    if (event.epoch > this.#epoch) this.#restart(event)
    if (this.#isOver) return
    this.#lastEventAt = this.#context.now()
    this.#apply(event)
    // An edited message keeps showing the last activity.
    if (event.kind === 'thinking' && this.#shownAs !== 'stream') return
    this.#revision += 1
    this.#loop.by(Math.max(this.#firstAt, this.#context.now()))
  }

  stop(): void {
    this.#end()
    this.#loop.stop()
  }

  #restart(event: LiveEvent): void {
    this.#epoch = event.epoch
    this.#misses = 0
    this.#isOver = false
    if (event.kind !== 'progress') this.#text = ''
  }

  #apply(event: LiveEvent): void {
    this.#isThinking = event.kind === 'thinking'
    switch (event.kind) {
      case 'thinking':
        this.#steps.end(this.#lastEventAt)
        return
      case 'text':
        this.#steps.end(this.#lastEventAt)
        this.#text = (this.#text + event.text).slice(-maxKeptText)
        return
      case 'progress':
        this.#steps.progress(event, this.#lastEventAt)
        return
      default:
        assertNever(event)
    }
  }

  #end(): void {
    this.#isOver = true
    this.#text = ''
    this.#steps = new TurnSteps()
  }

  async #step(): Promise<number | undefined> {
    const { now, pace } = this.#context
    if (this.#isOver || !this.#hasContent()) return undefined
    if (now() > this.#lastEventAt + pace.lifeMs) return undefined
    const revision = this.#revision
    const about = { kind: 'turn', turnId: this.turnId, epoch: this.#epoch } as const
    const showing = { ...this.#target, about, isPaced: true }
    const shown = await showWhenAllowed(this.#context, showing, this.#act)
    switch (shown.kind) {
      case 'early':
        return shown.readyAt
      case 'held':
        this.#misses += 1
        if (this.#misses >= maxMisses) this.#end()
        return now()
      case 'failed':
        if (shown.isFinal) this.#end()
        return now() + pace.tickMs
      case 'shown':
        this.#misses = 0
        return this.#revision === revision ? this.#nextAt() : now()
      default:
        return assertNever(shown)
    }
  }

  #hasContent(): boolean {
    return this.#text !== '' || this.#steps.current !== undefined || this.#shownAs === 'stream'
  }

  /** Time at which the message must be repeated without a new event. */
  #nextAt(): number | undefined {
    const { now, pace } = this.#context
    if (this.#steps.current !== undefined) return now() + pace.tickMs
    if (this.#shownAs === 'stream') return now() + pace.streamMs
    return this.#shownAs === 'draft' ? now() + pace.draftMs : undefined
  }

  readonly #act: LiveAct = async (messageId, mintStop) => {
    if (this.#isOver) return messageId
    const { screen, ended } = this.#context
    const { place, askedBy } = this.#target
    const mayDraft = this.#shownAs !== 'message' && this.#shownAs !== 'stream'
    const stop = () => this.#stop.token(mintStop)
    const target = { place, turnId: this.turnId, mayDraft, askedBy, messageId, stop }
    const signal = AbortSignal.any([ended, AbortSignal.timeout(timeoutMs)])
    const result = await screen.showTurn(target, this.#running(), signal)
    this.#shownAs = result.kind
    return result.messageId
  }

  #running(): RunningTurn {
    const now = this.#context.now()
    const known = {
      text: this.#text.toWellFormed(),
      epoch: this.#epoch,
      steps: this.#steps.at(now),
    }
    const { current } = this.#steps
    if (current === undefined) return { ...known, doing: this.#isThinking ? 'thinking' : 'writing' }
    const { tool, lastLine, since } = current
    return { ...known, doing: tool, elapsedMs: Math.max(0, now - since), lastLine }
  }
}

interface Step {
  readonly tool: string
  readonly lastLine: string
  readonly since: number
  readonly endedAt: number | undefined
}
