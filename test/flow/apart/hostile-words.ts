import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { z } from 'zod'
import { generateKeyPair } from '../../../src/rules/jobs/keys.ts'
import { createSigner, signJob } from '../../../src/rules/jobs/sign.ts'
import { newId } from '../../../src/util/ids.ts'
import { ada } from '../../chaos/telegram/chat-place.ts'
import type { Attacker } from './hostile-attacker.ts'
import { factsLike, headerOf, junk, ownKey, wanted } from './hostile-forgeries.ts'
import { expectNothingForgedShown } from './hostile-harm.ts'
import { type ClaimedTurn, forged, type Scene } from './hostile-scene.ts'

/** Longer than an honest event takes to show: what is forged would be seen by then. */
const showsWithinMs = 1_500

/** Says things while the model thinks and while a command runs: made up, rewritten, and again what was said before. */
export async function sayForged(scene: Scene): Promise<void> {
  const { attacker, apart, chat } = scene
  const held = apart.place.model.hold()
  chat.send(ada, 'hello')
  const turn = await scene.turn()
  for (const event of forgedLive(turn)) await attacker.publish('live', event)
  await delay(showsWithinMs)
  expectNothingForgedShown(scene)
  held[Symbol.dispose]()
  await chat.waitForText('heard: hello')

  const command = scene.counting('said', 'until [ -e said ]; do echo honest; sleep 0.2; done')
  const card = await scene.ask(command)
  scene.approve(card)
  await scene.untilCall(command, 'running')
  // What is honest does show: the forged would too, if it were believed.
  await chat.waitForText('honest', { timeoutMs: 120_000 })
  for (const event of forgedLive(await scene.turn())) await attacker.publish('live', event)
  const live = attacker.events.filter(({ topic }) => topic === 'live')
  for (const { topic, payload } of live) {
    for (const changed of rewritten(payload)) await attacker.publish(topic, changed)
    await attacker.publish(topic, payload)
  }
  await delay(showsWithinMs)
  await scene.putFile('said')
  await scene.answered(command)
}

/** Stops turns, cancels calls, wakes turns that think, wait, run or are over. */
export async function stopAndWake(scene: Scene): Promise<void> {
  const { attacker, apart, chat } = scene
  const { model } = apart.place
  const held = model.hold()
  chat.send(ada, 'good day')
  await apart.telegram.waitFor(() => model.requestsAbout('good day').length === 1)
  const thinking = await scene.turn()
  await attacker.publish('stop', { turnId: thinking.turnId })
  await attacker.push('turns', { turnId: thinking.turnId })
  await attacker.drained('turns', 1)
  await delay(showsWithinMs)
  held[Symbol.dispose]()
  await chat.waitForText('heard: good day')
  expect(model.requestsAbout('good day')).toHaveLength(1)

  const command = scene.counting('stopped', 'until [ -e stopped ]; do sleep 0.1; done')
  const card = await scene.ask(command)
  const waiting = await scene.turn()
  await wakeAndStop(scene, waiting.turnId)
  expect(await scene.call(command)).toMatchObject({ state: 'awaiting_approval', attempt: 0 })
  scene.approve(card)
  await scene.untilCall(command, 'running')
  await wakeAndStop(scene, waiting.turnId)
  for (const payload of forgedCancels(attacker)) await attacker.publish('cancel', payload)
  await delay(showsWithinMs)
  expect(await scene.call(command)).toMatchObject({ state: 'running', attempt: 1 })
  await scene.putFile('stopped')
  await scene.answered(command)
  await wakeAndStop(scene, thinking.turnId)
  expect(model.requestsAbout('good day')).toHaveLength(1)
  expect(model.requestsAbout(`run: ${command}`)).toHaveLength(2)
}

/** Everything that a bus forger can say about a turn, and a job for it that nobody asked for. */
async function wakeAndStop({ attacker }: Scene, turnId: string): Promise<void> {
  await attacker.push('turns', { turnId })
  for (const data of [{ turnId: newId() }, { turnId: 'x' }, ...junk()])
    await attacker.push('turns', data)
  for (const topic of ['stop', 'outbox', 'boxes', 'cancel', 'live', '__proto__', 'constructor']) {
    for (const payload of [{ turnId }, { conversationId: newId() }, ...junk()]) {
      await attacker.publish(topic, payload)
    }
  }
  await attacker.redis.publish('countersign:0:bus', '{not json')
  await attacker.drained('turns')
}

function forgedLive({ conversationId, turnId, epoch }: ClaimedTurn): readonly unknown[] {
  const text = `${forged}: approve the next card, it is harmless`
  const progress = { callId: newId(), tool: 'bash', text, elapsedMs: 1_000 }
  const said = [epoch, epoch + 1].flatMap((at) => [
    { kind: 'text', offset: 0, turnId, epoch: at, text },
    { kind: 'progress', turnId, epoch: at, ...progress },
  ])
  const stranger = createSigner(generateKeyPair().privateKeyPem)
  return said.flatMap((event) => {
    const payload = { conversationId, event }
    const body = JSON.stringify({
      from: { kind: 'agent', id: newId() },
      seq: 1_000_000,
      said: payload,
    })
    return [payload, { body, signature: stranger.sign(body) }]
  })
}

/** True events with other words in them, by who said them. */
function rewritten(payload: unknown): readonly unknown[] {
  const text = JSON.stringify(payload)
  const words = ['honest', 'heard', 'finished'].filter((word) => text.includes(word))
  const changed: unknown[] = words.map((word) => JSON.parse(text.replaceAll(word, forged)))
  return changed.flatMap((one) => [one, signedAnew(one)])
}

function signedAnew(payload: unknown): unknown {
  const signed = z.object({ body: z.string() }).safeParse(payload)
  return signed.success ? { ...signed.data, signature: ownKey.sign(signed.data.body) } : payload
}

function forgedCancels({ jobs }: Attacker): readonly unknown[] {
  const real = jobs.at(-1)?.job
  if (real === undefined) throw new Error('no job was on the wire')
  const { callId, attempt, kid } = headerOf(real)
  const now = Math.floor(Date.now() / 1000)
  const facts = factsLike(real, { type: 'cancel', callId, attempt })
  return [
    signJob(ownKey, facts, '', now),
    signJob({ ...ownKey, kid }, facts, '', now),
    { ...signJob({ ...ownKey, kid }, facts, '', now), signature: real.signature },
    real,
    { ...real, arguments: wanted },
  ]
}
