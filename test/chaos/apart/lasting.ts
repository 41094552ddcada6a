import { z } from 'zod'

/** How long a test of processes that run apart goes on: the minutes that were asked for, or so long as a change can wait. */
export function lastingMs(shortMs: number): number {
  const { COUNTERSIGN_CHAOS_MINUTES: minutes } = process.env
  if (minutes === undefined || minutes === '') return shortMs
  return z.coerce.number().positive().parse(minutes) * 60_000
}
