import { roles } from '../../test/support/apart/roles.ts'
import type { Sample } from './soak-sample.ts'
import type { Trend } from './soak-verdict.ts'

const heads = [
  ['min', 4],
  ['load', 6],
  ['orders', 7],
  ['p50 ms', 8],
  ['p95 ms', 8],
  ['gateways MB', 13],
  ['agents MB', 13],
  ['workers MB', 13],
  ['Redis MB', 9],
  ['keys', 6],
  ['tables MB', 10],
  ['conns', 6],
] as const

export function headLine(): string {
  return heads.map(([head, width]) => head.padStart(width)).join('')
}

export function toLine(sample: Sample): string {
  const [gateway, agent, worker] = roles.map(
    (role) => `${sample.resident[role].toFixed(0)}/${sample.heap[role].toFixed(1)}`,
  )
  const cells = [
    sample.minute,
    sample.load.toFixed(1),
    sample.orders,
    sample.medianMs.toFixed(0),
    sample.p95Ms.toFixed(0),
    gateway,
    agent,
    worker,
    sample.redisMb.toFixed(2),
    sample.redisKeys,
    sample.tablesMb.toFixed(1),
    sample.connections,
  ]
  return cells.map((cell, index) => String(cell).padStart(heads[index]?.[1] ?? 8)).join('')
}

export function trendLines(trends: readonly Trend[]): readonly string[] {
  return trends.map(({ name, unit, mean, rise, perHour, isFlat }) => {
    const about = `${mean.toFixed(1)} ${unit}`.trim()
    const slope = `${signed(rise)} over the second half, ${signed(perHour)} an hour`
    return `${isFlat ? 'flat  ' : 'RISES '} ${name}: ${about} on average, ${slope}`
  })
}

/** What each table has grown by for an order, the largest first: rows of what happened are meant to stay. */
export function growthLine(first: Sample, last: Sample, orders: number): string {
  const grown = [...last.tables].map(
    ([name, size]) => [name, size - (first.tables.get(name) ?? 0)] as const,
  )
  const largest = grown.toSorted(([, a], [, b]) => b - a).slice(0, 8)
  const words = largest.map(([name, mb]) => `${name} ${((mb * 1_024) / orders).toFixed(2)}`)
  return `tables grew, in KB an order: ${words.join(', ')}`
}

function signed(value: number): string {
  return `${value >= 0 ? '+' : '−'}${Math.abs(value).toFixed(2)}`
}
