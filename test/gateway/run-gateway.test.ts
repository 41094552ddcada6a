import { expect, test } from 'vitest'
import { createAgentIdentity } from '../../src/agent/agent-identity.ts'
import type { Db } from '../../src/db/schema.ts'
import { saveAgent } from '../../src/db/worker/agents.ts'
import { saveWorker } from '../../src/db/worker/workers.ts'
import { runGateway } from '../../src/gateway/run-gateway.ts'
import type { Bus } from '../../src/ports/bus.ts'
import { liveTopic } from '../../src/rules/jobs/contract.ts'
import { generateKeyPair } from '../../src/rules/jobs/keys.ts'
import { createEventSigner } from '../../src/rules/jobs/live.ts'
import { createSigner } from '../../src/rules/jobs/sign.ts'
import { newId } from '../../src/util/ids.ts'
import { signingBus } from '../../src/worker/signing-bus.ts'
import { createBenchContext } from '../support/bench-context.ts'
import { createMemoryBus } from '../support/memory-queue.ts'
import { createRecordingPlatform } from '../support/recording-platform.ts'
import { createScriptedModel, say } from '../support/scripted-model.ts'

test('INT-2 live text of a holder that lost its turn is not shown, nor any after the answer', async () => {
  await using scene = await createScene()
  const { bench, platform, live } = scene
  await live(1, 'first')
  await live(2, 'second')
  await live(1, 'late')
  await live(2, 'third')
  await live(2, undefined)
  await expect.poll(() => shown(scene)).toEqual(['first', 'second', 'third'])
  await bench.step()
  await expect.poll(() => platform.answers()).toEqual(['ok'])
  await live(3, 'after the answer')
  await live(99, 'long after')
  await scene.heard()
  expect(platform.lives).toHaveLength(3)
})

test('PROC-02 live text shows only when an agent says it that the database knows, and once', async () => {
  await using scene = await createScene()
  const { bus, live, payloads } = scene
  await live(1, 'honest')
  await expect.poll(() => shown(scene)).toEqual(['honest'])
  const [signed] = payloads
  await bus.publish(liveTopic, signed)
  const altered = JSON.stringify(signed).replace('honest', 'forged')
  await bus.publish(liveTopic, JSON.parse(altered))
  await bus.publish(liveTopic, JSON.parse(altered.replace('seq\\":1', 'seq\\":99')))
  await bus.publish(liveTopic, scene.said(1, 'unsigned'))
  const stranger = signingBus(bus, createAgentIdentity().signEvent)
  await stranger.publish(liveTopic, scene.said(1, 'of a stranger'))
  await live(1, 'more')
  await expect.poll(() => shown(scene)).toContain('more')
  await scene.heard()
  expect(shown(scene)).toEqual(['honest', 'more'])
})

test('PROC-02 THREAT-5 a replica shows what calls of its own worker print, no words of the model, and nothing in another worker’s turn', async () => {
  await using scene = await createScene()
  const { turnId } = scene.said(1, '').event
  const told = { kind: 'progress', turnId, epoch: 1, callId: 'c', tool: 'bash', elapsedMs: 5 }
  const own = await scene.replicaOf('default')
  const other = await scene.replicaOf('other')
  await other.publish(liveTopic, scene.about({ ...told, text: 'of another worker' }))
  await other.publish(liveTopic, scene.about({ ...told, epoch: 9, text: 'of a later holder' }))
  for (const replica of [own, other]) {
    await replica.publish(liveTopic, scene.said(1, 'as the model'))
    await replica.publish(liveTopic, scene.about({ kind: 'thinking', turnId, epoch: 1 }))
  }
  await own.publish(liveTopic, scene.about({ ...told, text: 'of its own' }))
  await expect.poll(() => scene.platform.lives).toHaveLength(1)
  await scene.live(1, 'the model itself')
  await expect.poll(() => scene.platform.lives).toHaveLength(2)
  await scene.heard()
  expect(scene.platform.lives).toEqual([
    { ...told, text: 'of its own' },
    scene.said(1, 'the model itself').event,
  ])
})

test('PROC-02 INT-2 a gateway that starts anew shows nothing of what was kept of a former holder, or of a turn that is over', async () => {
  await using scene = await createScene()
  const { bench, bus, live, payloads } = scene
  await bench.database.db.updateTable('turn').set({ epoch: 2 }).execute()
  await live(1, 'of a former holder')
  await live(2, 'of now')
  await live(9, 'of later')
  const kept = [...payloads]
  const shownAnew = async (atLeast: number) => {
    const anew = createRecordingPlatform()
    await using _gateway = await runGateway({ ...bench.ctx, people: {} }, bus, anew)
    for (const payload of kept) await bus.publish(liveTopic, payload)
    await expect.poll(() => anew.lives.length).toBeGreaterThanOrEqual(atLeast)
    await scene.heard()
    return anew.lives.length
  }
  expect(await shownAnew(2)).toBe(2)
  await bench.step()
  await expect.poll(() => scene.platform.answers()).toEqual(['ok'])
  expect(await shownAnew(0)).toBe(0)
})

test('DECISION-25 CHAT-04 after a gap no more of a text shows until the next begins: half a sentence may say the opposite', async () => {
  await using scene = await createScene()
  for (const [offset, text] of [
    [7, 'the middle'],
    [0, 'I will '],
    [7, 'delete '],
    [18, 'anything'],
    [26, ' at all'],
    [0, 'Next: '],
    [6, 'done'],
  ] as const) {
    await scene.live(1, text, offset)
  }
  await expect.poll(() => scene.platform.lives.length).toBeGreaterThanOrEqual(4)
  await scene.heard()
  expect(scene.platform.lives.map((event) => 'text' in event && event.text)).toEqual([
    'I will ',
    'delete ',
    'Next: ',
    'done',
  ])
})

async function createScene() {
  const resources = new AsyncDisposableStack()
  const bench = resources.use(await createBenchContext(createScriptedModel([say('ok')])))
  const { db } = bench.database
  const bus = createMemoryBus()
  const platform = createRecordingPlatform()
  const gateway = resources.use(await runGateway({ ...bench.ctx, people: {} }, bus, platform))
  const conversationId = await gateway.act({
    platform: 'test',
    externalId: newId(),
    conversation: 'room',
    callerId: 'test:ada',
    body: { kind: 'message', text: 'hi' },
  })
  const { agentId: id, publicKeyPem: liveKey, signEvent } = createAgentIdentity()
  const rules = { worker: 'default', path: '/data/permissions.jsonc', sha256: 'a'.repeat(64) }
  await saveAgent(db, { id, model: 'scripted', warnings: [], liveKey, host: 'here', rules })
  const { id: turnId } = await db.selectFrom('turn').selectAll().executeTakeFirstOrThrow()
  const payloads: unknown[] = []
  await bus.subscribe(liveTopic, (payload) => payloads.push(payload))
  const about = <Event>(event: Event) => ({ conversationId, event })
  const said = (epoch: number, text: string | undefined, offset = 0) =>
    about({ kind: 'text', offset, turnId, epoch, text })
  const agent = signingBus(bus, signEvent)
  return {
    bench,
    bus,
    platform,
    payloads,
    about,
    said,
    replicaOf: (worker: string) => replicaOf(db, bus, worker),
    live: (epoch: number, text: string | undefined, offset = 0) =>
      agent.publish(liveTopic, said(epoch, text, offset)),
    /** Long enough for what must not be shown. */
    heard: () => new Promise((resolve) => setTimeout(resolve, 200)),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** The bus of a replica that has enrolled. */
async function replicaOf(db: Db, bus: Bus, name: string): Promise<Bus> {
  const signer = createSigner(generateKeyPair().privateKeyPem)
  const replica = newId()
  await saveWorker(db, {
    name,
    replica,
    driver: 'bubblewrap',
    confined: true,
    warnings: '[]',
    box_workspace: '/workspace',
    tools: '[]',
    public_key: signer.publicKeyPem,
    beat: 1,
    said_at: new Date(),
  })
  return signingBus(bus, createEventSigner(signer, { kind: 'replica', worker: name, replica }))
}

function shown({ platform }: Awaited<ReturnType<typeof createScene>>): readonly unknown[] {
  return platform.lives.map((event) => event.kind === 'text' && event.text)
}
