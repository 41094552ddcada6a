import type { LiveEvent } from '../../../ports/chat.ts'
import { dropOldest } from '../../../util/drop-oldest.ts'
import type { RunningStep } from '../render/draw-live.ts'
import { lastLineOf } from './last-line-of.ts'

export interface Step {
  readonly tool: string
  readonly lastLine: string
  readonly since: number
  readonly endedAt: number | undefined
}

const mostSteps = 30

/** What a turn did and does, as far as its events tell: they name what runs, and not when it ends. */
export class TurnSteps {
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
