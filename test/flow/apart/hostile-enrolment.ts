import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { SignedMessage, WorkerMessage } from '../../../src/rules/jobs/contract.ts'
import { enrolmentProof } from '../../../src/rules/jobs/enrolment.ts'
import { signMessage } from '../../../src/rules/jobs/sign.ts'
import { canonicalJson } from '../../../src/util/canonical-json.ts'
import { newId } from '../../../src/util/ids.ts'
import { ownKey } from './hostile-forgeries.ts'
import { bodyOf, findMessage } from './hostile-messages.ts'
import type { Scene } from './hostile-scene.ts'

/** Greets and says farewell as a new replica, as one that lives and as one that ended. */
export async function greetForged(scene: Scene): Promise<void> {
  const { attacker } = scene
  const gone = await endOne(scene)
  const known = await scene.replicas(3)
  const alive = known.find(({ name, replica }) => name === 'default' && replica !== gone)?.replica
  if (alive === undefined) throw new Error('no replica is left')
  const hellos = attacker.messages.filter((message) => bodyOf(message).type === 'hello')
  const bye = findMessage(attacker.messages, 'bye')
  if (bye === undefined) throw new Error('no farewell was on the wire')
  const seen = (rows: typeof known) =>
    rows.find(({ replica }) => replica === alive)?.seen_at.getTime() ?? 0
  const forgeries = [
    ...forgedHellos(hellos, gone),
    ...forgedHellos(hellos, alive),
    ...forgedByes(bye, alive),
  ]
  for (const message of forgeries) await attacker.push('results', message)
  // True ones, said again.
  for (const message of [...hellos, bye]) await attacker.push('results', message)
  await attacker.drained('results')
  expect(await isAlive(scene, gone)).toBe(false)
  // By its time, not by its age: a busy machine may hold up its next word. A farewell would set it back.
  const after = await scene.replicas(3)
  expect(seen(after)).toBeGreaterThanOrEqual(seen(known))
  const keys = (rows: typeof known) =>
    rows.map(({ name, replica, public_key }) => [name, replica, public_key])
  expect(keys(after)).toEqual(keys(known))
  await scene.order('five')
}

/** Has a replica end by itself; answers which. */
async function endOne(scene: Scene): Promise<string> {
  const { attacker, apart } = scene
  const program = scene.workers.at(-1)
  program?.child.kill('SIGTERM')
  await program?.ended
  const bye = await apart.telegram.waitFor(() => findMessage(attacker.messages, 'bye'))
  const { replica } = bodyOf(bye)
  await apart.place.until('the replica is known to be gone', async () =>
    (await isAlive(scene, replica)) ? undefined : true,
  )
  return replica
}

/** Greetings of that replica, or in its place, that nobody with the token made. */
function forgedHellos(hellos: readonly SignedMessage[], replica: string): readonly SignedMessage[] {
  const real = hellos.find((message) => bodyOf(message).replica === replica)
  if (real === undefined) throw new Error('the replica never said hello')
  const hello = bodyOf(real)
  if (hello.type !== 'hello') throw new Error('not a greeting')
  const publicKey = ownKey.publicKeyPem
  const later = { ...hello, beat: hello.beat + 1_000_000 }
  const name = { worker: hello.worker, replica: newId(), publicKey }
  const guessed = enrolmentProof('guessed', name)
  const forgeries: readonly WorkerMessage[] = [
    { ...later, publicKey },
    { ...later, ...name },
    { ...later, ...name, proof: guessed },
    { ...later, ...name, proof: enrolmentProof('', name) },
    { ...later, worker: 'other' },
    { ...later, worker: 'other', publicKey },
    { ...later, replica: newId() },
    { ...later, proof: randomBytes(32).toString('hex') },
  ]
  return [
    ...forgeries.map((message) => signMessage(ownKey, message)),
    { body: canonicalJson(later), signature: real.signature },
    signMessage(ownKey, later),
  ]
}

/** Farewells of a replica that lives, by somebody who heard another's. */
function forgedByes(real: SignedMessage, replica: string): readonly SignedMessage[] {
  const bye = { ...bodyOf(real), replica } as WorkerMessage
  return [
    signMessage(ownKey, bye),
    { body: canonicalJson(bye), signature: real.signature },
    { body: canonicalJson({ ...bye, beat: 1_000_000_000 }), signature: real.signature },
  ]
}

function isAlive(scene: Scene, replica: string): Promise<boolean> {
  return scene.apart.place.look(async (db) => {
    const row = await db
      .selectFrom('worker')
      .select('seen_at')
      .where('replica', '=', replica)
      .where('seen_at', '>', new Date(Date.now() - 15_000))
      .executeTakeFirst()
    return row !== undefined
  })
}
