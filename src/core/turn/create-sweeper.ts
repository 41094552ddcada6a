import { sweep } from './sweep.ts'
import type { TurnKernel } from './turn-kernel.ts'

/**
 * One agent's sweeps. While the database is away nobody's greetings are heard: after that workers are given as long to be
 * heard of as at the start (INT-32).
 */
export function createSweeper(kernel: TurnKernel): () => Promise<void> {
  let listeningSince = new Date()
  return async () => {
    try {
      await sweep(kernel, listeningSince)
    } catch (error) {
      listeningSince = new Date()
      throw error
    }
  }
}
