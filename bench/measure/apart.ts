import { setTimeout as delay } from 'node:timers/promises'
import { type BenchPerson, personOf } from '../support/bench-person.ts'
import { type Figure, quantile, toFigure } from '../support/figure.ts'
import { type Effort, type Measurement, runs } from '../support/measurement.ts'
import { repeat } from '../support/repeat.ts'
import { openSoakPlace, type SoakPlace } from '../support/soak-place.ts'
import { since, usedBy } from '../support/used-by.ts'

const fleets = [1, 2, 4, 8]
const idleMs = 5_000
const peopleAtOnce = 20
const firstId = 1_000

/** PROC-01: one gateway, and so many agents and workers, each a process of its own. */
export const apart: Measurement = {
  name: 'apart',
  about: 'a gateway, agents and workers as processes, on PostgreSQL and Redis, through Telegram',
  isLong: true,
  measure: async (effort) => {
    const groups = await repeat(fleets.length, (index) => measureFleet(fleets[index] ?? 1, effort))
    return groups.flat()
  },
}

async function measureFleet(count: number, effort: Effort): Promise<readonly Figure[]> {
  const ids = Array.from({ length: peopleAtOnce }, (_, index) => firstId + index)
  await using place = await openSoakPlace(ids, { gateway: 1, agent: count, worker: count })
  const people = ids.map((id) => {
    const user = place.telegram.addUser({ id, first_name: `Person ${id}` })
    return personOf(user, place.telegram.privateChat(user))
  })
  await Promise.all(people.map((person) => command(person)))
  const who = `${count} agent${count === 1 ? '' : 's'}, ${count} worker${count === 1 ? '' : 's'}`
  const [first] = people
  if (first === undefined) throw new Error('nobody is there')
  return [
    toFigure(`${who}: message → answer`, 'ms', await repeat(runs(effort, 60), () => say(first))),
    toFigure('… tap → final answer', 'ms', await repeat(runs(effort, 30), () => command(first))),
    ...(await together('turns', { place, people, effort }, say)),
    ...(await together('turns with a command', { place, people, effort }, command)),
    ...(await idle(place)),
  ]
}

function isEnd({ text }: { readonly text: string }): boolean {
  return text.startsWith('finished: ')
}

async function say(person: BenchPerson): Promise<number> {
  return (await person.ask('hello', isEnd)).afterMs
}

async function command(person: BenchPerson): Promise<number> {
  const card = await person.ask('run: true', ({ buttons }) => buttons.length > 0)
  return (await person.tap(card.message.id, 'Approve', isEnd)).afterMs
}

interface Crowd {
  readonly place: SoakPlace
  readonly people: readonly BenchPerson[]
  readonly effort: Effort
}

async function together(
  what: string,
  { place, people, effort }: Crowd,
  turn: (person: BenchPerson) => Promise<number>,
): Promise<readonly Figure[]> {
  const each = runs(effort, 8)
  const turns = people.length * each
  const rounds = await repeat(runs(effort, 3), async () => {
    const before = await usedBy(place)
    const start = performance.now()
    const waits = await Promise.all(people.map((person) => repeat(each, () => turn(person))))
    const perSecond = (turns * 1_000) / (performance.now() - start)
    const used = since(await usedBy(place), before)
    return { perSecond, waits: waits.flat(), used }
  })
  const waits = rounds.flatMap((round) => round.waits)
  const perSecond = rounds.map((round) => round.perSecond)
  return [
    toFigure(`… ${people.length} people at once: ${what}`, '/s', perSecond),
    toFigure('… … p95 of the wait', 'ms', [quantile(waits, 0.95)]),
    ...parts.map((part) => {
      const each = rounds.map(({ used }) => used[part] / turns)
      return toFigure(`… … processor time a turn, ${part}`, 'ms', each)
    }),
    ...counts.map((count) => {
      const each = rounds.map(({ used }) => used[count] / turns)
      return toFigure(`… … ${count} a turn`, '', each)
    }),
  ]
}

const parts = ['node', 'postgres', 'redis'] as const
const counts = ['transactions', 'syncs', 'commands'] as const

/** What processes cost that nobody talks to. */
async function idle(place: SoakPlace): Promise<readonly Figure[]> {
  const before = await usedBy(place)
  await delay(idleMs)
  const used = since(await usedBy(place), before)
  return parts.map((part) =>
    toFigure(`… idle: processor time a second, ${part}`, 'ms', [(used[part] * 1_000) / idleMs]),
  )
}
