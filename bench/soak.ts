import { setTimeout as delay } from 'node:timers/promises'
import { Crowd, idsOf } from '../test/chaos/apart/crowd.ts'
import { openSoakPlace } from './support/soak-place.ts'
import { growthLine, headLine, toLine, trendLines } from './support/soak-report.ts'
import { type Sample, takeSample } from './support/soak-sample.ts'
import { trendsOf } from './support/soak-verdict.ts'

const people = 20
const minuteMs = 60_000
/** Between an answer and the next order of a person. */
const pauseMs = 3_000

/**
 * REL-03: two gateways, two agents and three workers under steady load for so many minutes, with a line a minute, and at
 * the end how each figure runs over the second half. Exit code 1 when one of them rises, 2 when it was too short to tell.
 */
export async function soak(minutes = 30): Promise<void> {
  await using place = await openSoakPlace(idsOf(people))
  const crowd = new Crowd(place.telegram, { people, pauseMs, lookEveryMs: 200, forgets: true })
  const ending = new AbortController()
  const talking = crowd.talk(ending.signal)
  print(`${people} conversations, each orders ${pauseMs / 1_000} s after its last answer`)
  print('memory: resident/heap without garbage')
  print(headLine())
  const samples: Sample[] = []
  for (let minute = 1; minute <= minutes; minute += 1) {
    const from = Date.now()
    await Promise.race([talking, delay(minuteMs)])
    const sample = await takeSample(place, minute, crowd.waitsSince(from))
    samples.push(sample)
    print(toLine(sample))
  }
  ending.abort()
  await talking
  conclude(samples, crowd.answered)
}

function conclude(samples: readonly Sample[], orders: number): void {
  const trends = trendsOf(samples)
  const [first] = samples
  const last = samples.at(-1)
  for (const line of trendLines(trends)) print(line)
  if (first !== undefined && last !== undefined) print(growthLine(first, last, orders))
  if (trends.length === 0) {
    print(`${samples.length} minutes are too short to tell how anything runs`)
    process.exitCode = 2
    return
  }
  const isFlat = trends.every((trend) => trend.isFlat)
  print(`${orders} orders in ${samples.length} minutes: ${isFlat ? 'flat' : 'NOT FLAT'}`)
  if (!isFlat) process.exitCode = 1
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
