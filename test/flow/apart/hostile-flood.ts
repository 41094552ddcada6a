import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { signMessage } from '../../../src/rules/jobs/sign.ts'
import { newId } from '../../../src/util/ids.ts'
import { isNightly } from '../../support/run/nightly.ts'
import { ownKey } from './hostile-forgeries.ts'
import { forged, type Scene } from './hostile-scene.ts'

const jobs = isNightly ? 20_000 : 8_000
/** On each topic. */
const shouts = isNightly ? 10_000 : 4_000
const mostGrownBytes = 150_000_000
/** Of one agent: a hundred a minute, and one row for the others. A test of ten minutes has failed before. */
const mostDropped = 1_010

/** Junk by the thousand, everywhere at once, while Ada goes on. */
export async function flood(scene: Scene): Promise<void> {
  const { attacker, programs } = scene
  await scene.order('six')
  const before = programs.map(({ pid }) => residentBytes(pid))
  const [worker] = await scene.replicas(1)
  attacker.stopListening()
  await attacker.flood('tools-default', jobs, '"a bare string"')
  await attacker.flood(`tools-default.${worker?.replica}`, 1_000, '{"data":null}')
  await attacker.flood('turns', 500, JSON.stringify({ data: { turnId: newId() } }))
  await attacker.flood('results', 2_000, '{"data":"a bare string"}')
  await attacker.flood('results', 300, JSON.stringify({ data: unknownReplica() }))
  for (const queue of ['tools-default', 'turns', 'results']) {
    await attacker.flood(queue, 20, '{not JSON')
  }
  for (const topic of ['boxes', 'outbox', 'stop', 'live']) {
    await attacker.shout(topic, shouts, event())
  }
  await attacker.shout('live', shouts, spokenByStranger())
  await attacker.redis.publish('countersign:0:bus', 'x'.repeat(5_000_000))
  await scene.order('seven')
  for (const queue of ['turns', 'results', 'tools-default']) await attacker.drained(queue)
  const grown = programs.map(({ pid }, index) => residentBytes(pid) - (before[index] ?? 0))
  expect(Math.max(...grown)).toBeLessThan(mostGrownBytes)
  expect(programs.map(({ child }) => child.exitCode)).toEqual(programs.map(() => null))
  expect(await scene.audited('dropped_result')).toBeLessThan(mostDropped)
}

/** Every key of the queue, again and again, while a card is answered. */
export async function deleteEverything(scene: Scene): Promise<void> {
  const { attacker } = scene
  const first = scene.counting('eight')
  const card = await scene.ask(first)
  const deleting = setInterval(() => void attacker.redis.flushall(), 300)
  scene.approve(card)
  await scene.answered(first)
  const second = scene.counting('nine')
  const next = await scene.ask(second)
  scene.approve(next)
  await attacker.redis.flushall()
  clearInterval(deleting)
  await scene.answered(second)
}

// An id of its own each, so that nothing can be asked for once.
const id = '00000000-0000-7000-8000-%'

function event() {
  const live = { kind: 'text', offset: 0, turnId: id, epoch: 1, text: forged }
  return { turnId: id, conversationId: id, event: live }
}

/** One whose key has to be looked up, each time. */
function spokenByStranger() {
  const body = JSON.stringify({ from: { kind: 'agent', id }, seq: 1, said: event() })
  return { body, signature: ownKey.sign(body) }
}

/** What a replica that nobody has heard of says: for a moment it could be one whose greeting is on its way. */
function unknownReplica() {
  const at = new Date().toISOString()
  const about = { worker: 'default', replica: newId(), at, callId: newId(), attempt: 1 }
  return signMessage(ownKey, { ...about, type: 'started' })
}

function residentBytes(pid: number): number {
  const [, kilobytes = ''] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1_024
}
