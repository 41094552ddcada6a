import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { type ProductEvent, silentObserver } from '../../src/ports/observer.ts'
import { cancelTopic, liveTopic, resultsQueue, toolsQueue } from '../../src/rules/jobs/contract.ts'
import { checkEnrolment } from '../../src/rules/jobs/enrolment.ts'
import { generateKeyPair } from '../../src/rules/jobs/keys.ts'
import { peekSignedEvent } from '../../src/rules/jobs/live.ts'
import { createSigner, signJob } from '../../src/rules/jobs/sign.ts'
import { newId } from '../../src/util/ids.ts'
import { openJournal } from '../../src/worker/job/journal.ts'
import type { WorkerTool, WorkerToolOutcome } from '../../src/worker/worker-tool.ts'
import { MemoryLog } from '../adapters/chat/telegram/incoming/memory-log.ts'
import { createChildDriver, isRunning, scripted } from './child-driver.ts'
import { createHarness, enrolmentSecret, now } from './worker-harness.ts'

/** Reports that it runs, and ends when cancelled. */
const holding = { command: 'touch on; while [ ! -e go ]; do sleep 0.02; done' }
const patience = { timeout: 30_000, interval: 20 }

describe('a worker', () => {
  test('PROC-02 runs a signed job in the box of its workspace and signs the result', async () => {
    await using made = await createHarness()
    const worker = await made.start()
    const facts = made.facts()
    await made.send(made.sign(facts, { command: 'echo hi; echo bad >&2; pwd; sleep 0.3' }))
    const result = await made.answer(facts.callId)
    expect(result).toMatchObject({
      replica: worker.replica,
      jobType: 'run',
      attempt: 1,
      outcome: {
        kind: 'succeeded',
        envelope: { stdout: `hi\n${facts.rules.workspace}\n`, stderr: 'bad\n', exit_code: 0 },
      },
    })
    expect(made.messages()).toContainEqual(
      expect.objectContaining({ type: 'started', callId: facts.callId, attempt: 1 }),
    )
    expect(made.allSigned()).toBe(true)
  })

  test('BASH-10 BOX-02 starts programs in their own box where they have other paths, and a restart stops both', async () => {
    await using made = await createHarness()
    const mounts = { readWrite: [], readOnly: [], masked: [] }
    const commandMounts = { ...mounts, readWrite: ['/srv'], workspaceParts: ['src/deep'] }
    await made.start({ commandMounts })
    const run = async (tool: string, args: object) => {
      const facts = made.facts({ tool })
      await made.send(made.sign(facts, args))
      return made.outcome(facts.callId)
    }
    await run('list_directory', { path: '.' })
    expect(await run('bash', { command: 'ls' })).toMatchObject({ output: 'src\n' })
    await run('diagnostics', { kind: 'tsc' })
    const ids = made.driver.started.map(({ spec: { key, ...given } }) => [key.split('/')[2], given])
    const workspace = join(made.root, 'workspaces', 'conversation-1')
    expect(ids).toEqual([
      [undefined, { workspace, ...mounts }],
      ['commands', { workspace, ...commandMounts }],
    ])
    await made.send(made.sign(made.facts({ type: 'restart', tool: 'box' }), {}))
    await expect.poll(() => made.driver.alive(), patience).toBe(0)
  })

  test('THREAT-3 BASH-10 restarts a box once for a job, however often that is delivered', async () => {
    await using made = await createHarness()
    await made.start()
    const run = async () => {
      const facts = made.facts()
      await made.send(made.sign(facts, { command: 'true' }))
      await made.answer(facts.callId)
    }
    await run()
    const restart = made.sign(made.facts({ type: 'restart', tool: 'box' }), {})
    await made.send(restart)
    await expect.poll(() => made.driver.alive(), patience).toBe(0)
    await run()
    await made.send(restart)
    await run()
    expect(made.driver.started).toHaveLength(2)
  })

  test('BASH-06 refuses a command that was signed for another network than commands have here', async () => {
    await using made = await createHarness()
    const mounts = { readWrite: [], readOnly: [], masked: [] }
    const network = {
      commandMounts: { ...mounts, network: true as const },
      commandsHaveNetwork: true,
    }
    await made.start(network)
    const outcome = async (tool: string, args: object, more = {}) => {
      const facts = made.facts({ tool, ...more })
      await made.send(made.sign(facts, args))
      return made.outcome(facts.callId)
    }
    const refused = { kind: 'refused', why: expect.stringContaining('network') }
    expect(await outcome('bash', { command: 'true' })).toMatchObject(refused)
    expect(await outcome('bash', { command: 'true' }, { network: true })).toMatchObject({
      kind: 'succeeded',
    })
    const judged = [join(made.root, 'workspaces', 'conversation-1')]
    expect(await outcome('list_directory', { path: '.' }, { judged })).toMatchObject({
      kind: 'succeeded',
    })
    expect(made.driver.started.map(({ spec }) => spec.network)).toEqual([true, undefined])
  })

  test('BOX-02 a call whose box does not start in time fails with that reason', async () => {
    await using made = await createHarness('setInterval(() => {}, 1000)')
    await made.start({ limits: { ...made.limits, startTimeoutMs: 200 } })
    const facts = made.facts()
    await made.send(made.sign(facts, { command: 'true' }))
    expect(await made.outcome(facts.callId)).toEqual({
      kind: 'failed',
      error: { category: 'server_error', message: 'The sandbox did not start within 0.2 s' },
    })
    await expect.poll(() => made.driver.alive(), patience).toBe(0)
  })

  test('THREAT-5 announces itself at once and regularly, with a proof of its enrolment', async () => {
    await using made = await createHarness()
    const worker = await made.start({ helloEveryMs: 50 })
    const hellos = () => made.messages().filter((message) => message.type === 'hello')
    await expect.poll(() => hellos().length, patience).toBeGreaterThan(2)
    const [hello] = hellos()
    if (hello === undefined) throw new Error('no hello')
    expect(hello).toMatchObject({
      worker: 'local',
      replica: worker.replica,
      driver: 'process',
      confined: false,
      boxWorkspace: join(made.root, 'workspaces', '{workspace}'),
      tools: expect.arrayContaining(['bash', 'read', 'write']),
    })
    expect(hello.tools).not.toContain('read_overflow')
    expect(checkEnrolment(enrolmentSecret, hello, hello.proof)).toBe(true)
    expect(checkEnrolment(enrolmentSecret, { ...hello, worker: 'other' }, hello.proof)).toBe(false)
    expect(existsSync(join(made.root, 'workspaces', '{workspace}'))).toBe(false)
  })

  test('BOX-02 keeps the box warm between calls, and takes jobs of its own queue too', async () => {
    await using made = await createHarness()
    const worker = await made.start()
    for (const replica of [undefined, worker.replica]) {
      const facts = made.facts()
      await made.send(made.sign(facts, { command: 'true' }), replica)
      expect(await made.outcome(facts.callId)).toMatchObject({ kind: 'succeeded' })
    }
    expect(made.driver.started).toHaveLength(1)
  })
})

describe('a job that should not run', () => {
  test('PROC-02 does not run if forged, expired, changed or for another worker', async () => {
    await using made = await createHarness()
    await made.start()
    const stranger = createSigner(generateKeyPair().privateKeyPem)
    const touch = { command: 'touch ran' }
    const [forged, expired, changed, misdirected, good] = Array.from({ length: 5 }, () =>
      made.facts(),
    )
    if (!forged || !expired || !changed || !misdirected || !good) throw new Error('five')
    await made.send(signJob(stranger, forged, JSON.stringify(touch), now()))
    await made.send(made.sign(expired, touch, now() - 1000))
    await made.send({
      ...made.sign(changed, { command: 'true' }),
      arguments: JSON.stringify(touch),
    })
    await made.send(made.sign({ ...misdirected, worker: 'other' }, touch))
    await made.send('nonsense')
    await made.send(made.sign(good, { command: 'true' }))
    expect(await made.outcome(good.callId)).toMatchObject({ kind: 'succeeded' })
    expect(await made.outcome(expired.callId)).toEqual({ kind: 'refused', why: 'it has expired' })
    expect(await made.outcome(changed.callId)).toMatchObject({ kind: 'refused' })
    expect(made.results(forged.callId)).toEqual([])
    expect(made.results(misdirected.callId)).toEqual([])
    expect(existsSync(join(good.rules.workspace, 'ran'))).toBe(false)
  })

  test('POL-06 PROC-02 that expired while it waited for a slot is not started', async () => {
    await using made = await createHarness()
    let laterMs = 0
    let taken = 0
    const record = ({ kind }: ProductEvent) => {
      if (kind === 'job_taken') taken += 1
    }
    const worker = await made.start({
      limits: { ...made.limits, concurrency: 1 },
      now: () => Date.now() + laterMs,
      observer: { ...silentObserver, record },
    })
    const first = made.facts()
    const second = made.facts({ conversation: 'conversation-2' })
    await made.send(made.sign(first, holding))
    await expect.poll(() => existsSync(join(first.rules.workspace, 'on')), patience).toBe(true)
    await made.send(made.sign(second, { command: 'touch ran' }), worker.replica)
    await expect.poll(() => taken, patience).toBe(2)
    laterMs = 1_000_000
    writeFileSync(join(first.rules.workspace, 'go'), '')
    expect(await made.outcome(first.callId)).toMatchObject({ kind: 'succeeded' })
    expect(await made.outcome(second.callId)).toEqual({ kind: 'refused', why: 'it has expired' })
    expect(existsSync(join(second.rules.workspace, 'ran'))).toBe(false)
  })

  test('POL-06 PROC-02 that expired while it waited for a box is not started', async () => {
    await using made = await createHarness()
    let laterMs = 0
    let taken = 0
    const record = ({ kind }: ProductEvent) => {
      if (kind === 'job_taken') taken += 1
    }
    const worker = await made.start({
      limits: { ...made.limits, maxBoxes: 1 },
      now: () => Date.now() + laterMs,
      observer: { ...silentObserver, record },
    })
    const [first, second] = [made.facts(), made.facts({ conversation: 'conversation-2' })]
    await made.send(made.sign(first, holding))
    await expect.poll(() => existsSync(join(first.rules.workspace, 'on')), patience).toBe(true)
    const job = made.sign(second, { command: 'touch ran' })
    await made.send(job, worker.replica)
    await expect.poll(() => taken, patience).toBe(2)
    laterMs = 1_000_000
    writeFileSync(join(first.rules.workspace, 'go'), '')
    expect(await made.outcome(second.callId)).toEqual({ kind: 'refused', why: 'it has expired' })
    expect(existsSync(join(second.rules.workspace, 'ran'))).toBe(false)
    laterMs = 0
    await made.send(job, worker.replica)
    expect((await made.answer(second.callId, 2)).outcome.kind).toBe('refused')
    await made.send(made.sign({ ...second, attempt: 2 }, { command: 'touch ran' }))
    expect((await made.answer(second.callId, 3)).outcome.kind).toBe('succeeded')
  })

  test('POL-06 LOOP-14 that is stopped while it waits for a slot ends as stopped, even if it expired meanwhile', async () => {
    await using made = await createHarness()
    let laterMs = 0
    let taken = 0
    const record = ({ kind }: ProductEvent) => {
      if (kind === 'job_taken') taken += 1
    }
    const worker = await made.start({
      limits: { ...made.limits, concurrency: 1 },
      now: () => Date.now() + laterMs,
      observer: { ...silentObserver, record },
    })
    const [first, second] = [made.facts(), made.facts({ conversation: 'conversation-2' })]
    await made.send(made.sign(first, holding))
    await expect.poll(() => existsSync(join(first.rules.workspace, 'on')), patience).toBe(true)
    await made.send(made.sign(second, { command: 'touch ran' }), worker.replica)
    await expect.poll(() => taken, patience).toBe(2)
    laterMs = 1_000_000
    const later = now() + laterMs / 1000
    await made.bus.publish(cancelTopic, made.sign({ ...second, type: 'cancel' }, '{}', later))
    expect(await made.outcome(second.callId)).toMatchObject({
      kind: 'failed',
      error: { category: 'cancelled' },
    })
    writeFileSync(join(first.rules.workspace, 'go'), '')
    expect(await made.outcome(first.callId)).toMatchObject({ kind: 'succeeded' })
    expect(existsSync(join(second.rules.workspace, 'ran'))).toBe(false)
  })

  test('PROC-02 INT-14 that is an expired copy of a running one is not reported as refused; a changed one is', async () => {
    await using made = await createHarness()
    let laterMs = 0
    const refused: ProductEvent[] = []
    const record = (event: ProductEvent) => {
      if (event.kind === 'job_refused') refused.push(event)
    }
    const log = new MemoryLog()
    await made.start({
      now: () => Date.now() + laterMs,
      observer: { ...silentObserver, record },
      log,
    })
    const facts = made.facts()
    const job = made.sign(facts, holding)
    await made.send(job)
    await expect.poll(() => existsSync(join(facts.rules.workspace, 'on')), patience).toBe(true)
    laterMs = 1_000_000
    const strange = made.facts()
    await made.send(job)
    await made.send({ ...job, arguments: '{}' })
    await made.send(made.sign(strange, { command: 'true' }))
    expect(await made.outcome(strange.callId)).toEqual({ kind: 'refused', why: 'it has expired' })
    const calls = [facts.callId, strange.callId]
    await expect
      .poll(() => refused.map((event) => 'callId' in event && event.callId), patience)
      .toEqual(calls)
    expect(log.having('a job was refused')).toHaveLength(2)
    expect(made.results(facts.callId)).toEqual([])
    writeFileSync(join(facts.rules.workspace, 'go'), '')
    expect(await made.outcome(facts.callId)).toMatchObject({ kind: 'succeeded' })
  })

  test('PROC-02 that was refused cannot start under the same attempt, only under the next', async () => {
    await using made = await createHarness()
    await made.start()
    const facts = made.facts()
    const command = { command: 'echo x >> ran' }
    await made.send({ ...made.sign(facts, command), arguments: '{"command":"true"}' })
    await made.answer(facts.callId)
    await made.send(made.sign(facts, command))
    expect((await made.answer(facts.callId, 2)).outcome.kind).toBe('refused')
    await made.send(made.sign({ ...facts, attempt: 2 }, command))
    expect((await made.answer(facts.callId, 3)).outcome.kind).toBe('succeeded')
    expect(readFileSync(join(facts.rules.workspace, 'ran'), 'utf8')).toBe('x\n')
  })

  test('INT-37 that was judged for a workspace at another path is refused', async () => {
    await using made = await createHarness()
    await made.start()
    const facts = made.facts()
    const rules = { ...facts.rules, workspace: '/workspace' }
    await made.send(made.sign({ ...facts, rules }, { command: 'true' }))
    expect(await made.outcome(facts.callId)).toMatchObject({ kind: 'refused' })
    expect(made.driver.started).toEqual([])
  })

  test.each([
    ['an unknown tool', 'rm_everything', {}, 'tool_not_found'],
    ['arguments that do not fit', 'bash', { comand: 'true' }, 'invalid_parameters'],
    ['a wrong type', 'bash', { command: 7 }, 'type_mismatch'],
    ['broken JSON', 'bash', '{', 'invalid_parameters'],
  ])(
    'REG-05 with %s fails with a message, and nothing starts',
    async (_what, tool, args, category) => {
      await using made = await createHarness()
      await made.start()
      const facts = made.facts({ tool })
      await made.send(made.sign(facts, args))
      expect(await made.outcome(facts.callId)).toMatchObject({
        kind: 'failed',
        error: { category },
      })
      expect(made.driver.started).toEqual([])
    },
  )
})

describe('a job that comes twice', () => {
  test('INT-11 INT-13 THREAT-3 runs once; the copies get the stored result', async () => {
    await using made = await createHarness()
    await made.start()
    const facts = made.facts()
    const job = made.sign(facts, { command: 'echo x >> ran' })
    await made.send(job)
    const first = await made.answer(facts.callId)
    for (const count of [2, 3]) {
      await made.send(job)
      expect((await made.answer(facts.callId, count)).outcome).toEqual(first.outcome)
    }
    expect(readFileSync(join(facts.rules.workspace, 'ran'), 'utf8')).toBe('x\n')
  })

  test('INT-14 is ignored while it runs, here or in another replica', async () => {
    await using made = await createHarness()
    await made.start()
    await made.start()
    const facts = made.facts()
    const job = made.sign(facts, {
      command: 'echo x >> ran; while [ ! -e go ]; do sleep 0.05; done',
    })
    await Promise.all(Array.from({ length: 6 }, () => made.send(job)))
    const ran = join(facts.rules.workspace, 'ran')
    await expect.poll(() => existsSync(ran), patience).toBe(true)
    await Promise.all(Array.from({ length: 6 }, () => made.send(job)))
    await expect.poll(() => made.queue.waiting(toolsQueue('local')).length, patience).toBe(0)
    expect(made.results(facts.callId)).toEqual([])
    writeFileSync(join(facts.rules.workspace, 'go'), '')
    expect((await made.answer(facts.callId)).outcome.kind).toBe('succeeded')
    expect(readFileSync(ran, 'utf8')).toBe('x\n')
  })

  test('INT-12 runs when it is sent again after it was lost before its start', async () => {
    await using made = await createHarness()
    const facts = made.facts()
    const job = made.sign(facts, { command: 'echo x >> ran' })
    await made.send(job)
    await made.queue.forgetAll()
    await made.start()
    await made.send(job)
    expect(await made.outcome(facts.callId)).toMatchObject({ kind: 'succeeded' })
  })

  test('INT-11 is answered from the journal if a replica died after the command, before it could answer', async () => {
    await using made = await createHarness()
    const worker = await made.start()
    const facts = made.facts()
    const job = made.sign(facts, { command: 'echo x >> ran; echo done' })
    await made.send(job)
    await made.answer(facts.callId)
    await worker[Symbol.asyncDispose]()
    await made.start()
    await made.send(made.sign(facts, { command: 'echo x >> ran; echo done' }, now() - 2000))
    expect((await made.answer(facts.callId, 2)).outcome).toMatchObject({ kind: 'succeeded' })
  })
})

describe('persisted results', () => {
  test('OUT-11 INT-11 a call that was skipped as unchanged gets the same answer after its replica died', async () => {
    await using made = await createHarness()
    const worker = await made.start()
    const facts = made.facts({ tool: 'read' })
    const file = join(facts.rules.workspace, 'a.txt')
    mkdirSync(facts.rules.workspace, { recursive: true })
    writeFileSync(file, 'one')
    const judged = [file]
    const read = async (callId: string, cache: { known?: string }) => {
      await made.send(made.sign({ ...facts, callId, judged, cache }, { path: 'a.txt' }))
      return (await made.answer(callId)).outcome
    }
    let known: string | undefined
    await expect
      .poll(async () => {
        const outcome = await read(newId(), {})
        known = 'fingerprint' in outcome ? outcome.fingerprint : undefined
        return known
      }, patience)
      .toMatch(/^[0-9a-f]{64}$/)
    const callId = newId()
    expect(await read(callId, { known: known ?? '' })).toEqual({ kind: 'unchanged' })
    await worker[Symbol.asyncDispose]()
    await made.start()
    writeFileSync(file, 'two')
    await made.send(made.sign({ ...facts, callId, judged }, { path: 'a.txt' }))
    expect((await made.answer(callId, 2)).outcome).toEqual({ kind: 'unchanged' })
  })
})

describe('a cancel', () => {
  const cancel = (made: Awaited<ReturnType<typeof createHarness>>, callId: string, tool = 'bash') =>
    made.bus.publish(cancelTopic, made.sign(made.facts({ callId, type: 'cancel', tool }), '{}'))

  test('LOOP-14 BASH-03 over the bus stops a running command and all its processes', async () => {
    await using made = await createHarness()
    await made.start()
    const facts = made.facts()
    await made.send(made.sign(facts, { command: 'echo $$ > pid; sleep 600 & sleep 600' }))
    const file = join(facts.rules.workspace, 'pid')
    await expect
      .poll(() => existsSync(file) && readFileSync(file, 'utf8'), patience)
      .toMatch(/\d+\n/)
    await cancel(made, facts.callId)
    expect(await made.outcome(facts.callId)).toEqual(
      expect.objectContaining({
        kind: 'failed',
        error: { category: 'cancelled', message: 'the call was stopped' },
      }),
    )
    expect(isRunning(Number(readFileSync(file, 'utf8')))).toBe(false)
  })

  test('INT-7 INT-8 before its call is answered, and the call never starts', async () => {
    await using made = await createHarness()
    await made.start()
    const facts = made.facts()
    await cancel(made, facts.callId)
    const answer = await made.answer(facts.callId)
    expect(answer).toMatchObject({
      jobType: 'cancel',
      outcome: { kind: 'failed', error: { category: 'cancelled' } },
    })
    await made.send(made.sign(facts, { command: 'touch ran' }))
    expect((await made.answer(facts.callId, 2)).outcome).toEqual(answer.outcome)
    expect(made.driver.started).toEqual([])
  })

  test('INT-8 while the box is still starting: nothing runs', async () => {
    await using made = await createHarness()
    const held = Promise.withResolvers<void>()
    const slow = createChildDriver()
    await made.start({
      driver: { ...slow, start: (spec) => held.promise.then(() => slow.start(spec)) },
    })
    const facts = made.facts()
    await made.send(made.sign(facts, { command: 'touch ran' }))
    await expect.poll(() => made.queue.waiting(toolsQueue('local')).length, patience).toBe(0)
    await cancel(made, facts.callId)
    held.resolve()
    expect(await made.outcome(facts.callId)).toMatchObject({
      kind: 'failed',
      error: { category: 'cancelled' },
    })
    expect(existsSync(join(facts.rules.workspace, 'ran'))).toBe(false)
  })

  test('LOOP-14 through the queue works too, and a run job over the bus does not run', async () => {
    await using made = await createHarness()
    const worker = await made.start()
    const facts = made.facts()
    await made.bus.publish(cancelTopic, made.sign(facts, { command: 'touch ran' }))
    await made.send(made.sign({ ...facts, type: 'cancel' }, '{}'), worker.replica)
    expect((await made.answer(facts.callId)).jobType).toBe('cancel')
    expect(made.driver.started).toEqual([])
  })

  test('LOOP-14 of a call that has ended gets its stored result again', async () => {
    await using made = await createHarness()
    await made.start()
    const facts = made.facts()
    await made.send(made.sign(facts, { command: 'echo done' }))
    const first = await made.answer(facts.callId)
    await cancel(made, facts.callId)
    expect((await made.answer(facts.callId, 2)).outcome).toEqual(first.outcome)
  })

  test('PROC-02 that is forged stops nothing', async () => {
    await using made = await createHarness()
    await made.start()
    const facts = made.facts()
    await made.send(made.sign(facts, { command: 'while [ ! -e go ]; do sleep 0.05; done' }))
    await expect
      .poll(() => made.messages().some(({ type }) => type === 'started'), patience)
      .toBe(true)
    const stranger = createSigner(generateKeyPair().privateKeyPem)
    const forged = signJob(stranger, { ...facts, type: 'cancel' }, '{}', now())
    await made.bus.publish(cancelTopic, forged)
    writeFileSync(join(facts.rules.workspace, 'go'), '')
    expect(await made.outcome(facts.callId)).toMatchObject({ kind: 'succeeded' })
  })
})

describe('a box that dies', () => {
  const dieOnce = scripted(`
    const { existsSync, writeFileSync } = await import('node:fs')
    if (request.type !== 'call') return
    if (existsSync('died')) return ok(request.id, 'second try')
    writeFileSync('died', ''); process.exit(1)
  `).replace('(request) =>', 'async (request) =>')

  test('LOOP-05 leaves a call with an effect interrupted, and does not run it again', async () => {
    await using made = await createHarness(dieOnce)
    await made.start()
    const facts = made.facts()
    const job = made.sign(facts, { command: 'true' })
    await made.send(job)
    expect(await made.outcome(facts.callId)).toEqual({ kind: 'interrupted' })
    await made.send(job)
    expect((await made.answer(facts.callId, 2)).outcome).toEqual({ kind: 'interrupted' })
    expect(made.driver.started).toHaveLength(1)
  })

  test('LOOP-05 an idempotent call is run once more, in a fresh box', async () => {
    await using made = await createHarness(dieOnce)
    await made.start()
    const facts = made.facts({ tool: 'read' })
    await made.send(made.sign(facts, { path: 'a.txt' }))
    expect(await made.outcome(facts.callId)).toEqual({ kind: 'succeeded', output: 'second try' })
    expect(made.driver.started).toHaveLength(2)
  })

  test('REL-01 without any box the call fails with a message and may be started again', async () => {
    await using made = await createHarness()
    const broken = { ...made.driver, start: () => Promise.reject(new Error('no box')) }
    const worker = await made.start({ driver: broken })
    const facts = made.facts()
    await made.send(made.sign(facts, { command: 'true' }))
    expect(await made.outcome(facts.callId)).toMatchObject({
      kind: 'failed',
      error: { category: 'server_error' },
    })
    await worker[Symbol.asyncDispose]()
    await made.start()
    await made.send(made.sign({ ...facts, attempt: 2 }, { command: 'true' }))
    expect((await made.answer(facts.callId, 2)).outcome.kind).toBe('succeeded')
  })
})

describe('output of the worker', () => {
  test('OUT-01 OUT-08 is sanitised and redacted, in the output and both streams, with a warning about the findings', async () => {
    await using made = await createHarness()
    await made.start()
    const facts = made.facts()
    await made.send(
      made.sign(facts, {
        command: `printf '\\033[31mred\\033[0m enrolment-token\\n'; printf 'AKIAQYLPMN5HQYLPMN5H\\n' >&2`,
      }),
    )
    const outcome = await made.outcome(facts.callId)
    expect(outcome).toMatchObject({
      kind: 'succeeded',
      envelope: {
        stdout: 'red [redacted:enrolment-token]\n',
        stderr: '[redacted:aws-key-id]\n',
      },
    })
    expect('output' in outcome && outcome.output).toContain('[secrets were redacted: ')
    expect(
      JSON.stringify(made.queue.added.filter(({ queue }) => queue === resultsQueue)),
    ).not.toMatch(/enrolment-token\\n|AKIAQYLP/)
  })

  test('BASH-04 is limited by the worker too, with a note on the truncation', async () => {
    await using made = await createHarness()
    const { limits } = optionsLimits
    await made.start({ limits })
    const facts = made.facts()
    await made.send(made.sign(facts, { command: 'seq 1 100000' }))
    const outcome = await made.outcome(facts.callId)
    expect(outcome).toMatchObject({ kind: 'succeeded', envelope: { truncated: true } })
    expect('output' in outcome && (outcome.output ?? '').length).toBeLessThan(12_000)
  })

  test('BASH-09 THREAT-14 live lines carry the turn and the epoch, and no secret', async () => {
    await using made = await createHarness()
    const heard: unknown[] = []
    await made.bus.subscribe(liveTopic, (payload) => heard.push(peekSignedEvent(payload)?.said))
    await made.start()
    const facts = made.facts({ epoch: 7 })
    await made.send(
      made.sign(facts, {
        command: `echo step one enrolment-token; while [ ! -e go ]; do sleep 0.05; done`,
      }),
    )
    await expect.poll(() => heard.length, patience).toBeGreaterThan(0)
    writeFileSync(join(facts.rules.workspace, 'go'), '')
    await made.answer(facts.callId)
    expect(heard[0]).toEqual({
      conversationId: facts.conversation,
      event: {
        kind: 'progress',
        turnId: 'turn-1',
        epoch: 7,
        callId: facts.callId,
        tool: 'bash',
        text: expect.stringMatching(/^step one/),
        elapsedMs: expect.any(Number),
      },
    })
    expect(JSON.stringify(heard)).not.toContain('enrolment-token"')
    expect(JSON.stringify(heard)).not.toMatch(/one enrolment-token/)
  })

  test('GATE-07 a preview returns the diff, changes nothing and is not in the journal', async () => {
    await using made = await createHarness()
    await made.start()
    const facts = made.facts({ tool: 'edit', type: 'preview' })
    const file = join(facts.rules.workspace, 'a.txt')
    mkdirSync(facts.rules.workspace, { recursive: true })
    writeFileSync(file, 'one\n')
    const args = { path: 'a.txt', old_string: 'one', new_string: 'two\u001b[2K' }
    const judged = { ...facts, judged: [file] }
    await made.send(made.sign(judged, args))
    const answer = await made.answer(facts.callId)
    expect(answer).toMatchObject({
      jobType: 'preview',
      outcome: { kind: 'preview', diff: expect.stringContaining('+two␛[2K') },
    })
    expect(readFileSync(file, 'utf8')).toBe('one\n')
    await made.send(made.sign({ ...judged, type: 'run' }, args))
    expect((await made.answer(facts.callId, 2)).outcome.kind).toBe('succeeded')
  })

  test('APPR-14 a preview for a renewed approval is made while the previous one is still running', async () => {
    await using made = await createHarness()
    await made.start({ limits: { ...made.limits, maxBoxes: 1 } })
    const running = made.facts()
    await made.send(made.sign(running, holding))
    await expect.poll(() => existsSync(join(running.rules.workspace, 'on')), patience).toBe(true)
    // They wait for the only box.
    const facts = made.facts({ tool: 'write', type: 'preview', conversation: 'conversation-2' })
    mkdirSync(facts.rules.workspace, { recursive: true })
    const judged = [join(facts.rules.workspace, 'a.txt')]
    const sendPreview = (attempt: number, content: string) =>
      made.send(made.sign({ ...facts, judged, attempt }, { path: 'a.txt', content }))
    await sendPreview(1, 'one')
    await sendPreview(2, 'two')
    await sendPreview(2, 'two')
    await expect.poll(() => made.queue.waiting(toolsQueue('local')).length, patience).toBe(0)
    writeFileSync(join(running.rules.workspace, 'go'), '')
    await made.answer(facts.callId, 2)
    const diffs = made.results(facts.callId).map(({ attempt, outcome }) => [attempt, outcome])
    expect(diffs.sort()).toEqual([
      [1, expect.objectContaining({ diff: expect.stringContaining('+one') })],
      [2, expect.objectContaining({ diff: expect.stringContaining('+two') })],
    ])
  })

  test('STORE-04 waits for an unreachable queue, and loses nothing', async () => {
    await using made = await createHarness()
    await made.start()
    const facts = made.facts()
    await made.send(made.sign(facts, { command: 'while [ ! -e go ]; do sleep 0.05; done' }))
    await expect
      .poll(() => made.messages().some(({ type }) => type === 'started'), patience)
      .toBe(true)
    made.queue.isAway = true
    writeFileSync(join(facts.rules.workspace, 'go'), '')
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(made.results(facts.callId)).toEqual([])
    made.queue.isAway = false
    expect(await made.outcome(facts.callId)).toMatchObject({ kind: 'succeeded' })
  })
})

const optionsLimits = {
  limits: {
    concurrency: 2,
    maxStreamBytes: 1_000_000,
    maxDiagnostics: 50,
    maxOutputBytes: 10_000,
    idleTimeoutMs: 60_000,
    maxBoxes: 2,
    graceMs: 300,
  },
}

describe('tools that run in the worker', () => {
  test('WEB-08 run outside of boxes, with their time limit and cancel', async () => {
    await using made = await createHarness()
    const { builtinTools } = await import('../../src/rules/tools/registry.ts')
    const [base] = builtinTools
    if (base === undefined) throw new Error('no tools')
    const tool = { ...base, name: 'fetch', runsIn: 'worker' as const, idempotent: true }
    const run = vi.fn(async () => ({ kind: 'ok' as const, output: 'page' }))
    await made.start({ tools: [tool], workerTools: new Map([['fetch', run]]) })
    const facts = made.facts({ tool: 'fetch' })
    await made.send(made.sign(facts, { command: 'x' }))
    expect(await made.outcome(facts.callId)).toEqual({ kind: 'succeeded', output: 'page' })
    expect(run).toHaveBeenCalledWith(
      { command: 'x' },
      expect.objectContaining({ caller: 'telegram:42', timeoutMs: 30_000 }),
    )
    expect(made.driver.started).toEqual([])
  })
})

describe('retried tools', () => {
  const failing = async (): Promise<WorkerToolOutcome> => ({
    kind: 'error',
    error: { category: 'server_error', message: 'no' },
  })
  const retries = { maxAttempts: 2, baseMs: 1, maxMs: 1, budgetMs: 30_000 }
  const parts = (run: WorkerTool) => ({
    limits: { ...optionsLimits.limits, retries },
    workerTools: new Map([['fetch', run]]),
  })

  test('ERR-03 run once more than the number of retries, and their result says how often', async () => {
    await using made = await createHarness()
    const run = vi.fn(failing)
    await made.start(parts(run))
    const facts = made.facts({ tool: 'fetch' })
    await made.send(made.sign(facts, { url: 'https://example.com/' }))
    expect(await made.outcome(facts.callId)).toMatchObject({ kind: 'failed', tries: 3 })
    expect(run).toHaveBeenCalledTimes(3)
  })

  test('ERR-03 LOOP-05 lose nothing if a replica dies between two tries: another one runs the call again', async () => {
    await using made = await createHarness()
    const dead = await openJournal(join(made.root, 'journal'), { replica: 'dead' })
    const facts = made.facts({ tool: 'fetch' })
    const signed = made.sign(facts, { url: 'https://example.com/' })
    const { argumentsSha256 } = JSON.parse(signed.header)
    const exp = now() + 900
    await dead.begin({
      ...{ callId: facts.callId, attempt: facts.attempt, argumentsSha256, idempotent: true, exp },
    })
    dead[Symbol.dispose]()
    const file = join(made.root, 'journal', 'replicas', 'dead')
    writeFileSync(file, JSON.stringify({ scope: 'another boot', pid: 2, ticks: 1 }))
    const { utimesSync } = await import('node:fs')
    utimesSync(file, new Date(0), new Date(0))
    const run = vi.fn(failing)
    await made.start(parts(run))
    await made.send(signed)
    expect(await made.outcome(facts.callId)).toMatchObject({ kind: 'failed', tries: 3 })
    expect(run).toHaveBeenCalledTimes(3)
  })
})

describe('starting and stopping', () => {
  test('INT-36 a start sweeps the journal and reports the open calls of a dead replica', async () => {
    await using made = await createHarness()
    const dead = await openJournal(join(made.root, 'journal'), { replica: 'dead' })
    const facts = made.facts()
    await dead.begin({
      callId: facts.callId,
      attempt: 1,
      argumentsSha256: 'a',
      idempotent: false,
      exp: now() + 900,
    })
    dead[Symbol.dispose]()
    // State after a kill: a heartbeat whose process is gone.
    const beat = { scope: 'another boot', pid: 2, ticks: 1 }
    const file = join(made.root, 'journal', 'replicas', 'dead')
    writeFileSync(file, JSON.stringify(beat))
    const { utimesSync } = await import('node:fs')
    utimesSync(file, new Date(0), new Date(0))
    await made.start()
    expect(await made.outcome(facts.callId)).toEqual({ kind: 'interrupted' })
    expect(made.driver.swept).toContain('dead/')
  })

  test('INT-38 PROC-03 a stop lets calls end within the grace period and cancels the rest, never interrupts them', async () => {
    await using made = await createHarness()
    const worker = await made.start({ limits: { ...made.limits, graceMs: 5_000 } })
    const [short, long] = [made.facts(), made.facts()]
    await made.send(made.sign(long, { command: 'sleep 600' }))
    await made.send(made.sign(short, { command: 'sleep 0.1; echo done' }))
    const started = () => made.messages().filter(({ type }) => type === 'started').length
    await expect.poll(started, patience).toBe(2)
    await worker[Symbol.asyncDispose]()
    expect(await made.outcome(short.callId)).toMatchObject({ kind: 'succeeded' })
    expect(await made.outcome(long.callId)).toMatchObject({
      kind: 'failed',
      error: { category: 'cancelled', message: 'the worker was stopped' },
    })
    expect(made.messages().at(-1)).toMatchObject({ type: 'bye', replica: worker.replica })
    expect(made.driver.alive()).toBe(0)
    await made.send(made.sign(made.facts(), { command: 'true' }))
    expect(made.queue.waiting(toolsQueue('local'))).toHaveLength(1)
  })

  test('PROC-03 a call still waiting for a slot when the worker stops is left to another replica', async () => {
    await using made = await createHarness()
    const { limits } = optionsLimits
    const worker = await made.start({ limits: { ...limits, concurrency: 1 } })
    const [first, second] = [made.facts(), made.facts()]
    await made.send(made.sign(first, { command: 'sleep 600' }))
    await expect
      .poll(() => made.messages().some(({ type }) => type === 'started'), patience)
      .toBe(true)
    const job = made.sign(second, { command: 'echo done' })
    await made.send(job, worker.replica)
    await expect
      .poll(() => made.queue.waiting(toolsQueue('local', worker.replica)).length, patience)
      .toBe(0)
    await worker[Symbol.asyncDispose]()
    expect(made.results(second.callId)).toEqual([])
    await made.start()
    await made.send(job)
    expect(await made.outcome(second.callId)).toMatchObject({ kind: 'succeeded' })
  })
})
