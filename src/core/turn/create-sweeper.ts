import { sweep } from './sweep.ts'
import type { TurnContext } from './turn-context.ts'

/**
 * One agent's sweeps. While the database or the queue is away nobody's greetings are heard: after that workers are given
 * as long to be heard of as at the start (INT-32, INT-33).
 */
export function createSweeper(ctx: TurnContext): () => Promise<void> {
  let listeningSince = new Date()
  return async () => {
    try {
      const signalsPass = await ctx.signals.pass()
      if (!signalsPass) listeningSince = new Date()
      await sweep(ctx, listeningSince, signalsPass)
    } catch (error) {
      listeningSince = new Date()
      throw error
    }
  }
}
