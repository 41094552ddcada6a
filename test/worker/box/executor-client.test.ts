import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FileRules } from '../../../src/domain/tool/file-rules.ts'
import { ExecutorClient } from '../../../src/worker/box/executor-client.ts'
import { parseReply } from '../../../src/worker/box/executor-reply.ts'
import { createChildDriver, scripted } from '../child-driver.ts'

const rules: FileRules = {
  workspace: '/tmp',
  allowed: [],
  denyRead: [],
  allowRead: [],
  denyByRule: [],
  masked: [],
}
const request = {
  tool: 'bash',
  arguments: { command: 'true' },
  rules,
  judged: [],
  timeoutMs: 30_000,
  maxStreamBytes: 1024,
  maxDiagnostics: 50,
  env: {},
}
const spec = { key: 'r/w', workspace: '/tmp', readWrite: [], readOnly: [], masked: [] }
const never = new AbortController().signal

async function start(script?: string) {
  const driver = createChildDriver(script)
  const box = await driver.start(spec)
  const client = new ExecutorClient(box, { graceMs: 1_000 })
  expect(await client.isReady(30_000)).toBe(true)
  return { client, box, [Symbol.asyncDispose]: () => box.kill() }
}

function listener() {
  const heard: string[] = []
  const events = {
    started: () => void heard.push('started'),
    progress: (text: string) => void heard.push(text),
  }
  return { heard, events }
}

describe('an executor client', () => {
  test('BOX-02 runs a command in the real executor and reports that it started', async () => {
    await using box = await start()
    const { heard, events } = listener()
    const asked = { ...request, arguments: { command: 'printf hello' } }
    const answer = await box.client.call(asked, events, never)
    expect(answer).toMatchObject({
      kind: 'answered',
      outcome: { kind: 'ok', envelope: { stdout: 'hello', exit_code: 0 } },
    })
    expect(heard).toContain('started')
  })

  test('BASH-03 a cancel stops the real command, and its result says so', async () => {
    await using box = await start()
    const stop = new AbortController()
    const events = { started: () => stop.abort(), progress: () => undefined }
    const asked = { ...request, arguments: { command: 'sleep 600' } }
    const answer = await box.client.call(asked, events, stop.signal)
    expect(answer).toMatchObject({ outcome: { kind: 'error', error: { category: 'cancelled' } } })
  })

  test('BOX-02 runs many calls at once, each with its own result', async () => {
    await using box = await start(
      scripted(`setTimeout(() => ok(request.id, request.tool), Math.random() * 50)`),
    )
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        box.client.call({ ...request, tool: `t${index}` }, listener().events, never),
      ),
    )
    const outputs = answers.map((answer) => ('outcome' in answer ? answer.outcome : undefined))
    expect(outputs).toEqual(
      Array.from({ length: 50 }, (_, index) => ({ kind: 'ok', output: `t${index}` })),
    )
  })

  test('THREAT-20 ignores messages about ids that are not in flight', async () => {
    await using box = await start(
      scripted(`ok('guessed', 'forged'); ok(request.id, 'true'); ok(request.id, 'again')`),
    )
    const answer = await box.client.call(request, listener().events, never)
    expect(answer).toEqual({ kind: 'answered', outcome: { kind: 'ok', output: 'true' } })
    expect(box.client.isDead).toBe(false)
  })

  test.each([
    ['a line that is no JSON', `reply('boom'); ok(request.id, 'x')`],
    ['an unknown kind of reply', `reply({ type: 'other', id: request.id }); ok(request.id, 'x')`],
    [
      'a prototype key',
      `reply('{"type":"started","id":"' + request.id + '","pid":3,"__proto__":{"x":1}}'); ok(request.id, 'x')`,
    ],
    [
      'an extra key',
      `reply({ type: 'started', id: request.id, pid: 3, x: 1 }); ok(request.id, 'x')`,
    ],
    [
      'a flood',
      `for (let i = 0; i < 20000; i++) reply({ type: 'progress', id: request.id, text: 'x' })`,
    ],
    // In one write, so that both lines are read before the box can exit.
    [
      'a wrong line before a right one',
      `reply('boom\\n' + JSON.stringify({ type: 'result', id: request.id, outcome: { kind: 'ok', output: 'x' } }))`,
    ],
  ])('THREAT-20 stops a box that sends %s, and ignores everything after it', async (_what, on) => {
    await using box = await start(scripted(on))
    expect(await box.client.call(request, listener().events, never)).toEqual({ kind: 'box-died' })
    expect(box.client.isDead).toBe(true)
  })

  test('THREAT-20 stops a box that sends a line over 64 MiB', async () => {
    await using box = await start(
      scripted(
        `const part = 'x'.repeat(1 << 20); const more = () => { while (process.stdout.write(part)) {} ; process.stdout.once('drain', more) }; more()`,
      ),
    )
    expect(await box.client.call(request, listener().events, never)).toEqual({ kind: 'box-died' })
  })

  test('BOX-02 when a box dies, all its calls end, and later ones end at once', async () => {
    await using box = await start(scripted(`process.exit(3)`))
    expect(await box.client.call(request, listener().events, never)).toEqual({ kind: 'box-died' })
    expect(await box.client.call(request, listener().events, never)).toEqual({ kind: 'box-died' })
  })

  test('LOOP-14 a box that ignores a cancel is stopped', async () => {
    await using box = await start(scripted(''))
    const stop = new AbortController()
    const answer = box.client.call(request, listener().events, stop.signal)
    stop.abort()
    expect(await answer).toEqual({ kind: 'box-died' })
  })

  test('BOX-02 an executor that never reports ready is not ready', async () => {
    const driver = createChildDriver('setInterval(() => {}, 1000)')
    const box = await driver.start(spec)
    expect(await new ExecutorClient(box).isReady(200)).toBe(false)
    await box.kill()
  })
})

describe('parseReply', () => {
  test('THREAT-20 REL-02 never throws, and returns only valid executor messages', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.object().map((o) => JSON.stringify(o)),
        ),
        (line) => {
          expect(parseReply(line)).toBeUndefined()
        },
      ),
    )
  })

  test('THREAT-20 rejects paths that could be read in two ways', () => {
    const elsewhere = (path: string) =>
      parseReply(
        JSON.stringify({
          type: 'result',
          id: 'i',
          outcome: { kind: 'elsewhere', canonical: [path] },
        }),
      )
    expect(elsewhere('/a/b')).toBeDefined()
    expect(elsewhere('/a\0b')).toBeUndefined()
    expect(elsewhere('/a\ud800')).toBeUndefined()
    expect(elsewhere('')).toBeUndefined()
    expect(elsewhere('/'.repeat(5000))).toBeUndefined()
  })
})
