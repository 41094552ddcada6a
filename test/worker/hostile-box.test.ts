import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { descendsFrom } from '../../src/worker/process-identity.ts'
import { scripted } from './child-driver.ts'
import { createHarness } from './worker-harness.ts'

const answering = (outcome: object): string =>
  scripted(`reply({ type: 'result', id: request.id, outcome: ${JSON.stringify(outcome)} })`)

const digest = 'a'.repeat(64)

test.each([
  ['elsewhere', { kind: 'elsewhere', canonical: ['/x'] }],
  ['changed', { kind: 'changed', path: '/x' }],
  ['preview', { kind: 'preview', diff: '', baseSha256: digest }],
  ['unchanged', { kind: 'unchanged' }],
])(
  'THREAT-20 LOOP-05 a box that claims that a command did nothing by %s is not believed',
  async (_kind, outcome) => {
    await using made = await createHarness(answering(outcome))
    await made.start()
    const facts = made.facts()
    await made.send(made.sign(facts, { command: 'true' }))
    expect(await made.outcome(facts.callId)).toEqual({ kind: 'interrupted' })
    await expect.poll(() => made.driver.alive()).toBe(0)
  },
)

test('THREAT-20 OUT-11 a box may answer “unchanged” only if the job carries a known state', async () => {
  await using made = await createHarness(answering({ kind: 'unchanged' }))
  await made.start()
  for (const [cache, kind] of [
    [{ known: digest }, 'unchanged'],
    [{}, 'failed'],
  ] as const) {
    const facts = { ...made.facts({ tool: 'read', judged: ['/y'] }), cache }
    await made.send(made.sign(facts, { path: '/y' }))
    expect((await made.outcome(facts.callId)).kind).toBe(kind)
  }
})

test('THREAT-20 a box may answer a preview only to a preview, and “elsewhere” only for a path', async () => {
  await using made = await createHarness(answering({ kind: 'elsewhere', canonical: ['/x'] }))
  await made.start()
  const facts = made.facts({ tool: 'read', judged: ['/y'] })
  await made.send(made.sign(facts, { path: '/y' }))
  expect((await made.outcome(facts.callId)).kind).toBe('elsewhere')
  const command = made.facts({ tool: 'bash', written: [{ path: '/y' }] })
  await made.send(made.sign(command, { command: 'tee y' }))
  expect((await made.outcome(command.callId)).kind).toBe('elsewhere')
})

test.each([
  ['elsewhere without a path', { kind: 'elsewhere', canonical: [] }],
  ['an exit code that no process has', { ...envelopeWith(4_294_967_296), kind: 'ok', output: '' }],
])('THREAT-20 %s stops the box', async (_what, outcome) => {
  await using made = await createHarness(answering(outcome))
  await made.start()
  const facts = made.facts({ tool: 'bash', judged: ['/y'] })
  await made.send(made.sign(facts, { command: 'true' }))
  expect(await made.outcome(facts.callId)).toEqual({ kind: 'interrupted' })
})

test('APPR-16 a diff that is too large to be shown is no preview, and is not truncated', async () => {
  const outcome = `{ kind: 'preview', diff: 'x'.repeat(1_000_001), baseSha256: '${digest}' }`
  await using made = await createHarness(
    scripted(`reply({ type: 'result', id: request.id, outcome: ${outcome} })`),
  )
  await made.start()
  const facts = made.facts({ tool: 'edit', type: 'preview', judged: ['/y'] })
  await made.send(made.sign(facts, { path: '/y', old_string: 'a', new_string: 'b' }))
  expect(await made.outcome(facts.callId)).toMatchObject({
    kind: 'failed',
    error: { message: expect.stringContaining('too large') },
  })
})

test('THREAT-20 a box that reports the start several times is heard once', async () => {
  const say = `for (let i = 0; i < 1000; i += 1) reply({ type: 'started', id: request.id, pid: 4 })`
  await using made = await createHarness(scripted(`${say}; ok(request.id, 'done')`))
  await made.start()
  const facts = made.facts()
  await made.send(made.sign(facts, { command: 'true' }))
  await made.answer(facts.callId)
  const started = made.messages().filter((message) => message.type === 'started')
  expect(started.length).toBeLessThanOrEqual(1)
})

test('THREAT-20 a flood of progress stops the box before all of it is redacted', async () => {
  const say = `for (let i = 0; i < 1000; i += 1) reply({ type: 'progress', id: request.id, text: 'x' })`
  await using made = await createHarness(scripted(`${say}; ok(request.id, 'done')`))
  await made.start()
  const facts = made.facts()
  await made.send(made.sign(facts, { command: 'true' }))
  expect(await made.outcome(facts.callId)).toEqual({ kind: 'interrupted' })
})

test('THREAT-20 INT-15 a box cannot make the worker record, and kill after a crash, a process that is not its own', async () => {
  const victim = spawn('sleep', ['600'], { stdio: 'ignore', detached: true })
  await once(victim, 'spawn')
  try {
    const say = `reply({ type: 'started', id: request.id, pid: ${victim.pid} })`
    await using made = await createHarness(
      scripted(`${say}; setTimeout(() => ok(request.id, 'done'), 300)`),
    )
    await made.start()
    const facts = made.facts()
    await made.send(made.sign(facts, { command: 'true' }))
    await made.answer(facts.callId)
    const journal = join(made.root, 'journal')
    const entries = readdirSync(journal).filter((name) => name.startsWith(facts.callId))
    expect(entries.length).toBeGreaterThan(0)
    for (const name of entries)
      expect(readFileSync(join(journal, name), 'utf8')).not.toContain('"command"')
    expect(descendsFrom(victim.pid ?? 0, process.pid)).toBe(true)
    expect(descendsFrom(process.pid, victim.pid ?? 0)).toBe(false)
  } finally {
    victim.kill('SIGKILL')
  }
})

function envelopeWith(exitCode: number) {
  return {
    envelope: {
      stdout: '',
      stderr: '',
      exit_code: exitCode,
      truncated: false,
      duration_ms: 1,
      timed_out: false,
    },
  }
}
