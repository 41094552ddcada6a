import { expect } from 'vitest'
import type { ToolCallRow, WorkerRow } from '../../../src/db/schema.ts'
import type { WorkerMessage } from '../../../src/rules/jobs/contract.ts'
import { enrolmentProof } from '../../../src/rules/jobs/enrolment.ts'
import { generateKeyPair } from '../../../src/rules/jobs/keys.ts'
import { createSigner, type Signer, signMessage } from '../../../src/rules/jobs/sign.ts'
import { newId } from '../../../src/util/ids.ts'
import { bodyOf, findMessage, forgedAnswers } from './hostile-messages.ts'
import type { Scene } from './hostile-scene.ts'

const own = 'other'
const victim = 'default'

/** A replica that somebody made. */
interface Made {
  readonly worker: string
  readonly replica: string
  readonly signer: Signer
}

/** Somebody who has taken over the worker `other`, its token included, answers calls of `default`. */
export async function answerForAnother(scene: Scene): Promise<void> {
  const before = await scene.replicas(1)
  const victims = before.find(({ name }) => name === victim)?.replica ?? ''
  const enrolled = await greet(scene, own, newId())
  const refused = [await greet(scene, victim, newId()), await greet(scene, victim, victims)]
  const after = await scene.replicas(before.length + 1)
  await untilTold(scene, `its greeting has no valid proof for worker "${victim}"`, 2)
  expect(keysOf(after)).toEqual([...keysOf(before), keyOf(enrolled)].toSorted())

  const posing = { ...enrolled, worker: victim }
  const made = [enrolled, posing, ...refused]
  const command = scene.counting('two', 'until [ -e two ]; do sleep 0.1; done')
  const card = await scene.ask(command)
  scene.pauseWorkers()
  scene.approve(card)
  await answer(scene, made, await scene.untilCall(command, 'queued'))
  await untilTold(scene, 'the call belongs to another worker', 1)
  expect(await scene.call(command)).toMatchObject({ state: 'queued', attempt: 1 })
  scene.resumeWorkers()
  await answer(scene, made, await scene.untilCall(command, 'running'))
  expect(await scene.call(command)).toMatchObject({ state: 'running', attempt: 1 })
  await scene.putFile('two')
  await scene.answered(command)
  await answer(scene, made, await scene.call(command))
}

/** As a replica of that name, with the token of `own`. */
async function greet({ attacker, apart }: Scene, worker: string, replica: string): Promise<Made> {
  const real = await apart.telegram.waitFor(() => findMessage(attacker.messages, 'hello'))
  const hello = bodyOf(real)
  if (hello.type !== 'hello') throw new Error('not a greeting')
  const signer = createSigner(generateKeyPair().privateKeyPem)
  const publicKey = signer.publicKeyPem
  const token = apart.workerNamed(own)['COUNTERSIGN_WORKER_TOKEN'] ?? ''
  const proof = enrolmentProof(token, { worker, replica, publicKey })
  const greeting = { ...hello, worker, replica, publicKey, proof, beat: hello.beat + 1_000_000 }
  await attacker.push('results', signMessage(signer, greeting))
  await attacker.drained('results')
  return { worker, replica, signer }
}

async function answer(scene: Scene, made: readonly Made[], call: ToolCallRow): Promise<void> {
  const at = new Date().toISOString()
  const sign = ({ signer }: Made, message: WorkerMessage) => signMessage(signer, message)
  for (const one of made) {
    const { worker, replica } = one
    for (const message of forgedAnswers({ worker, replica, at }, call)) {
      await scene.attacker.push('results', sign(one, message))
    }
  }
  await scene.attacker.drained('results')
}

/** In the audit, and in the agent's log. */
async function untilTold({ apart, programs }: Scene, why: string, count: number): Promise<void> {
  await apart.place.until(`${count} rows that say: ${why}`, async (db) => {
    const rows = await db
      .selectFrom('audit_log')
      .select('body')
      .where('kind', '=', 'dropped_result')
      .execute()
    const told = rows.filter(({ body }) => String(JSON.parse(body).note).startsWith(why))
    return told.length >= count ? true : undefined
  })
  const logged = programs.flatMap(({ stdout }) => stdout.split('\n'))
  expect(logged.filter((line) => line.includes(JSON.stringify(why).slice(1, -1)))).not.toEqual([])
}

function keysOf(rows: readonly WorkerRow[]): readonly string[] {
  return rows.map(({ name, replica, public_key }) => `${name} ${replica} ${public_key}`).toSorted()
}

function keyOf({ worker, replica, signer }: Made): string {
  return `${worker} ${replica} ${signer.publicKeyPem}`
}
