import { sweep } from './sweep.ts'
import type { TurnKernel } from './turn-kernel.ts'

/**
 * One agent's sweeps. While the database or the queue is away nobody's greetings are heard: after that workers are given
 * as long to be heard of as at the start (INT-32, INT-33).
 */
export function createSweeper(kernel: TurnKernel): () => Promise<void> {
  let listeningSince = new Date()
  return async () => {
    try {
      const signalsPass = await kernel.signals.pass()
      if (!signalsPass) listeningSince = new Date()
      await sweep(kernel, listeningSince, signalsPass)
    } catch (error) {
      listeningSince = new Date()
      throw error
    }
  }
}
