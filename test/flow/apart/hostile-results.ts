import { expect } from 'vitest'
import type { ToolCallRow } from '../../../src/db/schema.ts'
import type { SignedMessage } from '../../../src/rules/jobs/contract.ts'
import { damagedTexts, junk, unreadable } from './hostile-forgeries.ts'
import { forgedResults, messageOf, oddNames } from './hostile-messages.ts'
import type { Scene } from './hostile-scene.ts'

/** Results of a call that waits, is queued, runs and has ended; and what is none. */
export async function forgeResults(scene: Scene): Promise<void> {
  const { attacker } = scene
  await scene.order('three')
  const real = messageOf(attacker.messages, 'result')
  for (const message of [...junk(), ...oddNames()]) await attacker.push('results', message)
  for (const text of [...damagedTexts, ...unreadable]) await attacker.pushText('results', text)
  await attacker.drained('results')
  expect(await scene.audited('dropped_result')).toBeGreaterThan(0)

  const command = scene.counting('four', 'until [ -e four ]; do sleep 0.1; done')
  const card = await scene.ask(command)
  await forgeResultsOf(scene, real, await scene.call(command))
  expect(await scene.call(command)).toMatchObject({ state: 'awaiting_approval', attempt: 0 })
  scene.pauseWorkers()
  scene.approve(card)
  await forgeResultsOf(scene, real, await scene.untilCall(command, 'queued'))
  expect(await scene.call(command)).toMatchObject({ state: 'queued', attempt: 1 })
  scene.resumeWorkers()
  await forgeResultsOf(scene, real, await scene.untilCall(command, 'running'))
  expect(await scene.call(command)).toMatchObject({ state: 'running', attempt: 1 })
  await scene.putFile('four')
  await scene.answered(command)
  const settled = await scene.call(command)
  await forgeResultsOf(scene, real, settled)
  // A true result of an earlier call is recorded as late, once however often it is said, and is nobody else's.
  const late = await scene.audited('late_result')
  for (let times = 0; times < 5; times += 1) await attacker.push('results', real)
  await scene.untilAudited('late_result', late + 1)
  await attacker.drained('results')
  expect(await scene.audited('late_result')).toBe(late + 1)
  expect(await scene.call(command)).toEqual(settled)
}

/** Pushes every forgery about that call and waits until nothing of it is left. */
async function forgeResultsOf(
  { attacker }: Scene,
  real: SignedMessage,
  call: ToolCallRow,
): Promise<void> {
  for (const message of forgedResults(real, call)) await attacker.push('results', message)
  await attacker.drained('results')
}
