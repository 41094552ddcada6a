import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLoad } from './apart/load.ts'
import { beginLong, expectFinished } from './apart/long-command.ts'
import { inWords } from './apart/reckoning.ts'
import { say } from './support/figures.ts'

const people = 6
/** A lease is 15 s, and so long may a replica be silent. */
const stillMs = 18_000
const cleo = { id: 502, is_bot: false, first_name: 'Cleo' }

test('REL-01 INT-1 INT-14 INT-18 a gateway, the only agent and a worker stand still for longer than a lease, and go on: nothing is lost, and nothing is done twice', async () => {
  const crew = { gateway: 2, agent: 1, worker: 2 }
  await using load = await createLoad({ people, guests: [cleo.id], ending: '; sleep 0.3', crew })
  const chat = await beginLong(load, cleo, stillMs + 5_000)
  const still = (['gateway', 'agent', 'worker'] as const).flatMap((role) =>
    load.fleet.of(role).slice(0, 1),
  )
  for (const { program } of still) program.child.kill('SIGSTOP')
  const stoodAt = Date.now()
  await delay(stillMs)
  for (const { program } of still) program.child.kill('SIGCONT')
  await expectFinished(chat)
  await delay(2_000)
  // A gateway that stood between a sending and its record counts as one that died then.
  const figures = await load.end([stoodAt])
  expect(figures).toMatchObject({ interrupted: 0, unbegun: 0 })
  say(`apart, one of each still for ${stillMs / 1_000} s: ${inWords(figures)}`)
}, 300_000)
