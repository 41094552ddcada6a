import { roles } from '../../test/support/apart/roles.ts'
import type { Sample } from './soak-sample.ts'

/** A figure over the second half of a soak: how it runs by least squares, and whether that is flat. */
export interface Trend {
  readonly name: string
  readonly unit: string
  readonly mean: number
  /** What the line rises by over the half that was looked at. */
  readonly rise: number
  readonly perHour: number
  readonly isFlat: boolean
}

interface Watched {
  readonly name: string
  readonly unit: string
  readonly of: (sample: Sample) => number
  /** What it may rise by over the half, as a share of its mean, and in any case. */
  readonly share: number
  readonly atLeast: number
}

const watched: readonly Watched[] = [
  ...roles.flatMap((role) => [
    {
      name: `live heap of the ${role}s`,
      unit: 'MB',
      of: ({ heap }: Sample) => heap[role],
      share: 0.05,
      atLeast: 2,
    },
    {
      name: `resident memory of the ${role}s`,
      unit: 'MB',
      of: ({ resident }: Sample) => resident[role],
      share: 0.05,
      atLeast: 10,
    },
  ]),
  { name: 'order → answer p50', unit: 'ms', of: (s) => s.medianMs, share: 0.25, atLeast: 50 },
  { name: 'order → answer p95', unit: 'ms', of: (s) => s.p95Ms, share: 0.5, atLeast: 200 },
  { name: 'memory of Redis', unit: 'MB', of: (s) => s.redisMb, share: 0.05, atLeast: 0.5 },
  { name: 'keys of Redis', unit: '', of: (s) => s.redisKeys, share: 0.1, atLeast: 20 },
  { name: 'connections', unit: '', of: (s) => s.connections, share: 0.1, atLeast: 3 },
]

/** The trends over the second half; none where there are too few samples for a line. */
export function trendsOf(samples: readonly Sample[]): readonly Trend[] {
  const half = samples.slice(Math.floor(samples.length / 2))
  if (half.length < 3) return []
  const minutes = half.map(({ minute }) => minute)
  return watched.map(({ name, unit, of, share, atLeast }) => {
    const values = half.map(of)
    const perMinute = slope(minutes, values)
    const mean = meanOf(values)
    const rise = perMinute * (half.length - 1)
    const isFlat = rise <= Math.max(mean * share, atLeast)
    return { name, unit, mean, rise, perHour: perMinute * 60, isFlat }
  })
}

/** Of the line with the least squares of distances. */
function slope(xs: readonly number[], ys: readonly number[]): number {
  const meanX = meanOf(xs)
  const meanY = meanOf(ys)
  const covariance = xs.reduce((sum, x, index) => sum + (x - meanX) * ((ys[index] ?? 0) - meanY), 0)
  const variance = xs.reduce((sum, x) => sum + (x - meanX) ** 2, 0)
  return covariance / variance
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
