import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { SignedJob } from '../../../src/rules/jobs/contract.ts'
import { createSigner, signJob } from '../../../src/rules/jobs/sign.ts'
import type { Attacker } from './hostile-attacker.ts'
import {
  damagedTexts,
  factsLike,
  forgedJobs,
  junk,
  unreadable,
  wanted,
} from './hostile-forgeries.ts'
import type { Scene } from './hostile-scene.ts'

const shared = 'tools-default'

/** Jobs made up, changed, replayed, moved, late: in the queue of all replicas, of each, and of another worker. */
export async function pushForgedJobs(scene: Scene): Promise<void> {
  const { attacker, apart } = scene
  await scene.order('one')
  const real = lastRun(attacker)
  const replicas = await replicasOfDefault(scene)
  const own = replicas.map((replica) => `${shared}.${replica}`)
  const all = [...forgedJobs(real), ...junk(), ...notForNow(apart.place.dataDir, real)]
  for (const queue of [shared, ...own, 'tools-other']) {
    for (const job of all) await attacker.push(queue, job)
    for (const text of [...damagedTexts, ...unreadable]) await attacker.pushText(queue, text)
    await attacker.drained(queue)
  }
  await attacker.push('tools-other', real)
  await attacker.drained('tools-other')
  expect(apart.place.counter()).toEqual(scene.counted)
  // A true job that has ended is answered from the journal, by whichever replica gets it; recorded once.
  for (const queue of [shared, ...own]) await attacker.push(queue, real)
  await scene.untilAudited('late_result', 1)
  for (const queue of [shared, ...own, 'results']) await attacker.drained(queue)
  expect(await scene.audited('late_result')).toBe(1)
  await scene.order('two')
}

/** On its way, while no worker takes it. */
export async function swapJob(scene: Scene): Promise<void> {
  const { attacker } = scene
  const command = scene.counting('swapped')
  const card = await scene.ask(command)
  const before = attacker.jobs.length
  scene.pauseWorkers()
  scene.approve(card)
  await scene.untilCall(command, 'queued')
  await scene.apart.telegram.waitFor(() => attacker.jobs.length > before)
  const real = lastRun(attacker)
  await attacker.redis.flushall()
  for (const job of forgedJobs(real)) await attacker.push(shared, job)
  scene.resumeWorkers()
  await scene.answered(command)
}

function lastRun(attacker: Attacker): SignedJob {
  const last = attacker.jobs.at(-1)
  if (last === undefined) throw new Error('no job was on the wire')
  return last.job
}

async function replicasOfDefault(scene: Scene): Promise<readonly string[]> {
  const replicas = await scene.replicas(3)
  return replicas.filter(({ name }) => name === 'default').map(({ replica }) => replica)
}

/** An agent's true word, which somebody kept: too old, too early, or for another worker. */
function notForNow(dataDir: string, real: SignedJob): readonly SignedJob[] {
  const signer = createSigner(readFileSync(join(dataDir, 'keys', 'signing-key.pem'), 'utf8'))
  const now = Math.floor(Date.now() / 1000)
  return [
    signJob(signer, factsLike(real), wanted, now - 3_600),
    signJob(signer, factsLike(real), wanted, now + 3_600),
    signJob(signer, factsLike(real, { worker: 'elsewhere' }), wanted, now),
  ]
}
