import { createServer } from 'node:net'
import { expect } from 'vitest'
import { requirement } from '../../support/run/requirements.ts'
import { attack } from './hostile.ts'

const { bubblewrap } = requirement
const fine = { kind: 'ok', output: 'fine' }

/** An attack in the middle of a call: the call fails in these words, then the server can be reached again. */
function endsCall(title: string, kind: string, message: RegExp): void {
  bubblewrap(
    `MCP-08 ${title}: the call fails, the server is away, says why, and comes back`,
    async () => {
      await using it = await attack(kind, { once: true })
      const { hostile } = it
      await hostile.until(({ state }) => state === 'up')
      const outcome = await it.call()
      expect(outcome).toMatchObject({ error: { message: expect.stringMatching(message) } })
      await hostile.until(({ state }) => state === 'away')
      await expect.poll(() => it.call(), { timeout: 15_000 }).toEqual(fine)
      await it.expectHarmless()
    },
  )
}

endsCall('a result of 100 MB in one line', 'line', /ended during/)
endsCall('a result of 100 MB in many blocks', 'blocks', /ended during/)
endsCall('a line that never ends', 'endless', /ended during/)
endsCall('a flood of notifications/tools/list_changed', 'changes', /ended during/)
endsCall('a flood of messages', 'messages', /ended during/)
endsCall('a flood of large messages', 'bulk', /ended during/)
endsCall('a flood of lines that are no messages', 'rubbish', /ended during/)
endsCall('a flood of requests whose answers it does not read', 'deaf', /ended during|in time/)
endsCall('a byte a second', 'slow-call', /in time|ended during/)
endsCall('an exit', 'exit-call', /ended during/)
endsCall('a SIGKILL', 'kill-call', /ended during/)
endsCall('an exit that leaves a child with its output', 'child', /ended during/)

bubblewrap('MCP-08 why a flood ended the server is said', async () => {
  await using it = await attack('messages', { once: true })
  await it.hostile.until(({ state }) => state === 'up')
  await it.call()
  const { note } = await it.hostile.until(({ state }) => state === 'away')
  expect(note).toMatch(/it sent more than/)
})

/** An answer that leaves the connection as it is. */
function answers(title: string, kind: string, outcome: unknown): void {
  bubblewrap(`MCP-08 ${title}`, async () => {
    await using it = await attack(kind)
    await it.hostile.until(({ state }) => state === 'up')
    expect(await it.call()).toEqual(outcome)
    expect(await it.call()).toEqual(outcome)
    expect(it.hostile.states).toHaveLength(1)
    await it.expectHarmless()
  })
}

const wrong = {
  kind: 'error',
  error: { category: 'server_error', message: 'it did not answer as it should' },
}
answers('answers to nobody are passed over', 'wrong-id', fine)
answers('of two answers to one request the first counts', 'twice', { kind: 'ok', output: 'first' })
answers('an answer of the wrong shape is a failure', 'wrong-shape', wrong)
answers('an answer that is no message is none', 'no-result', {
  kind: 'error',
  error: { category: 'timeout', message: 'it did not answer in time' },
})
answers('an answer that is nested 10,000 deep is a failure', 'deep-call', {
  kind: 'error',
  error: { category: 'server_error', message: 'it: its answer is nested too deeply' },
})
answers(
  'requests of a server for models, people, files and tools of ours are refused',
  'requests',
  { kind: 'ok', output: '-32601 -32601 -32601 -32601' },
)
answers('1,000 files in its home leave the rest alone', 'files', fine)
answers(
  'characters that nobody sees, in a result, are named',
  'ansi',
  expect.objectContaining({
    kind: 'ok',
    output: expect.stringContaining('⟨U+202E⟩evil⟨U+202C⟩⟨U+200B⟩⟨U+E0041⟩'),
  }),
)
const isShort = expect.objectContaining({
  kind: 'error',
  error: expect.objectContaining({
    message: expect.not.stringMatching(/\u202E|\u200B|\n|.{700}/u),
  }),
})
answers('an error as result has one short line of message', 'error-result', isShort)
answers('an error as answer has one short line of message', 'error-answer', isShort)

bubblewrap(
  'MCP-08 a result of 200,000 blocks is read, and bounded like any other output afterwards',
  async () => {
    await using it = await attack('small-blocks')
    await it.hostile.until(({ state }) => state === 'up')
    expect(await it.call()).toMatchObject({ kind: 'ok' })
    await it.expectHarmless()
  },
)

bubblewrap(
  'MCP-08 MCP-04 a server sees no other process, no environment but its own, no network and no other files',
  async () => {
    await using listener = createServer()
    await new Promise<void>((resolve) => {
      listener.listen(0, '127.0.0.1', resolve)
    })
    const { port } = listener.address() as { port: number }
    const secret = `sesame-${process.pid}`
    process.env['HOSTILE_TEST_SECRET'] = secret
    await using it = await attack('look', { port })
    await it.hostile.until(({ state }) => state === 'up')
    const outcome = await it.call()
    const seen = JSON.parse('output' in outcome ? (outcome.output ?? '') : '')
    expect(seen.environments).not.toContain(secret)
    expect(seen.commands.join(' ')).not.toContain('vitest')
    expect(seen.own).not.toContain('HOSTILE_TEST_SECRET')
    expect(seen.interfaces.filter((name: string) => name !== 'lo')).toEqual([])
    expect(seen.reached).not.toContain('connected')
    expect(seen.shadow).toBe('')
    expect(seen.home).toEqual([])
    await it.expectHarmless()
  },
)
