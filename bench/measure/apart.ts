import { type BenchPerson, personOf } from '../support/bench-person.ts'
import { type Figure, quantile, toFigure } from '../support/figure.ts'
import { type Effort, type Measurement, runs } from '../support/measurement.ts'
import { repeat } from '../support/repeat.ts'
import { openSoakPlace } from '../support/soak-place.ts'

const fleets = [1, 2, 4]
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
    ...(await together('turns', people, effort, say)),
    ...(await together('turns with a command', people, effort, command)),
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

async function together(
  what: string,
  people: readonly BenchPerson[],
  effort: Effort,
  turn: (person: BenchPerson) => Promise<number>,
): Promise<readonly Figure[]> {
  const each = runs(effort, 8)
  const rounds = await repeat(runs(effort, 3), async () => {
    const start = performance.now()
    const waits = await Promise.all(people.map((person) => repeat(each, () => turn(person))))
    const perSecond = (people.length * each * 1_000) / (performance.now() - start)
    return { perSecond, waits: waits.flat() }
  })
  const waits = rounds.flatMap((round) => round.waits)
  const perSecond = rounds.map((round) => round.perSecond)
  return [
    toFigure(`… ${people.length} people at once: ${what}`, '/s', perSecond),
    toFigure('… … p95 of the wait', 'ms', [quantile(waits, 0.95)]),
  ]
}
