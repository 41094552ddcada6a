import { expect } from 'vitest'
import { expectWhole } from '../../chaos/support/invariants.ts'
import { untilAllDone } from '../../chaos/telegram/until-all-done.ts'
import { forged, type Scene } from './hostile-scene.ts'

/** Nothing forged ran, was shown or stored; what was asked is answered, once, and the audit is whole. */
export async function expectUnharmed(scene: Scene): Promise<void> {
  await expectNothingForged(scene)
  await expectWhole(scene.apart.place, await countTurns(scene))
}

/** Only what Ada approved ran, each once; nothing forged was shown or stored; all that was asked is done with. */
export async function expectNothingForged(scene: Scene): Promise<void> {
  const { place } = scene.apart
  await untilAllDone(place, await countTurns(scene))
  expect(place.counter()).toEqual(scene.counted)
  const stored = await place.look(async (db) => [
    await db.selectFrom('tool_call').selectAll().execute(),
    await db.selectFrom('outbox').select('body').execute(),
    await db.selectFrom('approval').select('card').execute(),
    await db.selectFrom('worker').selectAll().execute(),
    await db.selectFrom('audit_log').select('body').execute(),
  ])
  expect(JSON.stringify(stored)).not.toContain(forged)
  expectNothingForgedShown(scene)
}

/** Of all that the chat ever showed, passing messages and former texts of edited ones included. */
export function expectNothingForgedShown({ chat }: Scene): void {
  const shown = [...chat.history.map(({ message }) => message), ...chat.drafts]
  expect(shown.filter((one) => JSON.stringify(one).includes(forged))).toEqual([])
}

async function countTurns({ apart }: Scene): Promise<number> {
  const turns = await apart.place.look((db) => db.selectFrom('turn').select('id').execute())
  return turns.length
}
