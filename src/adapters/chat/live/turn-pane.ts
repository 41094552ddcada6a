import type { LiveEvent } from '../../../ports/chat.ts'
import { assertNever } from '../../../util/assert-never.ts'
import { dropOldest } from '../../../util/drop-oldest.ts'
import type { RunningStep, RunningTurn } from '../render/draw-live.ts'
import { lastLineOf } from './last-line-of.ts'
import type { LiveContext, LiveSpot } from './live-context.ts'
import type { PassingMessage } from './live-screen.ts'
import { Loop } from './loop.ts'
import { type LiveAct, showWhenAllowed } from './show-when-allowed.ts'
import { StopButton } from './stop-button.ts'

const mostSteps = 30

/** What a turn did and does, as far as its events tell: they name what runs, and not when it ends. */
class TurnSteps {
  readonly #steps = new Map<string, Step>()

  progress(event: Extract<LiveEvent, { kind: 'progress' }>, now: number): void {
    const { callId, tool, text, elapsedMs } = event
    const since = now - Math.max(0, elapsedMs)
    this.#steps.delete(callId)
    this.#steps.set(callId, { tool, lastLine: lastLineOf(text), since, endedAt: undefined })
    dropOldest(this.#steps, mostSteps)
  }

  /** The model thinks or writes: whatever it asked for is done. */
  end(now: number): void {
    for (const [id, step] of this.#steps) {
      if (step.endedAt === undefined) this.#steps.set(id, { ...step, endedAt: now })
    }
  }

  /** What runs; of several, the one that was heard of last. */
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

/** More than is shown, so that the rendering sees what a cut text began with. */
const keptText = 32_000
/** All of it ends before the stage's claim does. */
const timeoutMs = 7_000
const maxMisses = 5

/** Where a turn shows, and whose it is. */
export interface TurnSpot extends LiveSpot {
  readonly askedBy: string | undefined
}

/** What shows of one turn while it runs: the text as it comes, and a line that says what is being done. */
export class TurnPane {
  readonly turnId: string
  readonly #context: LiveContext
  readonly #spot: TurnSpot
  readonly #loop: Loop
  readonly #firstAt: number
  #epoch: number
  #heardAt: number
  #text = ''
  #steps = new TurnSteps()
  #isThinking = false
  #revision = 0
  #misses = 0
  #isOver = false
  /** Undefined: nothing was shown yet. */
  #shownAs: PassingMessage['kind'] | undefined
  readonly #stop = new StopButton()

  constructor(context: LiveContext, spot: TurnSpot, first: LiveEvent) {
    this.turnId = first.turnId
    this.#context = context
    this.#spot = spot
    this.#epoch = first.epoch
    this.#heardAt = context.now()
    this.#firstAt = this.#heardAt + context.pace.firstMs
    this.#loop = new Loop(() => this.#step(), context.now)
  }

  /** INT-2: whoever took the turn over has a higher epoch, and what they write is another text. */
  take(event: LiveEvent): void {
    if (event.epoch < this.#epoch) return
    if (event.epoch > this.#epoch) this.#begin(event)
    if (this.#isOver) return
    this.#heardAt = this.#context.now()
    this.#note(event)
    // A message that is edited goes on saying what was done last.
    if (event.kind === 'thinking' && this.#shownAs !== 'stream') return
    this.#revision += 1
    this.#loop.by(Math.max(this.#firstAt, this.#context.now()))
  }

  stop(): void {
    this.#end()
    this.#loop.stop()
  }

  #begin(event: LiveEvent): void {
    this.#epoch = event.epoch
    this.#misses = 0
    this.#isOver = false
    if (event.kind !== 'progress') this.#text = ''
  }

  #note(event: LiveEvent): void {
    this.#isThinking = event.kind === 'thinking'
    switch (event.kind) {
      case 'thinking':
        this.#steps.end(this.#heardAt)
        return
      case 'text':
        this.#steps.end(this.#heardAt)
        this.#text = (this.#text + event.text).slice(-keptText)
        return
      case 'progress':
        this.#steps.progress(event, this.#heardAt)
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
    if (this.#isOver || !this.#hasNews()) return undefined
    if (now() > this.#heardAt + pace.lifeMs) return undefined
    const revision = this.#revision
    const about = { kind: 'turn', turnId: this.turnId, epoch: this.#epoch } as const
    const showing = { ...this.#spot, about, isPaced: true }
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

  #hasNews(): boolean {
    return this.#text !== '' || this.#steps.current !== undefined || this.#shownAs === 'stream'
  }

  /** When what shows must be shown again though nothing new came. */
  #nextAt(): number | undefined {
    const { now, pace } = this.#context
    if (this.#steps.current !== undefined) return now() + pace.tickMs
    if (this.#shownAs === 'stream') return now() + pace.streamMs
    return this.#shownAs === 'draft' ? now() + pace.draftMs : undefined
  }

  readonly #act: LiveAct = async (messageId, mintStop) => {
    if (this.#isOver) return messageId
    const { screen, ended } = this.#context
    const { place, askedBy } = this.#spot
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
