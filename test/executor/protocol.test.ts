import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { parseRequest } from '../../src/executor/parse-request.ts'
import { errorOf, outputOf, startClient } from './client.ts'

vi.setConfig({ testTimeout: 120_000 })

test('THREAT-20 garbage on the line never ends the executor', async () => {
  await using client = await startClient()
  const rules = client.rules
  const field = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom('call', 'cancel', 'bash'))
  const shaped = fc.record(
    {
      type: fc.constantFrom('call', 'cancel', 'x'),
      id: fc.constantFrom('a', 'b', ''),
      tool: fc.oneof(fc.constantFrom('read', 'grep', 'edit', 'find_path', '__proto__'), field),
      arguments: fc.oneof(
        fc.record({ path: field, pattern: field, content: field, old_string: field }),
        field,
      ),
      rules: fc.oneof(fc.constant(rules), field),
      judged: fc.oneof(fc.constant([]), field),
      timeoutMs: fc.oneof(fc.constant(1000), field),
      maxStreamBytes: fc.oneof(fc.constant(1000), field),
      maxDiagnostics: fc.oneof(fc.constant(50), field),
      env: fc.oneof(fc.constant({}), field),
    },
    { requiredKeys: [] },
  )
  const line = fc.oneof(
    fc.string(),
    fc.json(),
    shaped.map((value) => JSON.stringify(value)),
  )
  for (const text of fc.sample(line, 3000)) client.child.stdin.write(`${text}\n`)
  client.child.stdin.write(Buffer.from([0xff, 0xfe, 0x00, 0x0a]))
  expect(outputOf(await client.call('find_path', { path: '.', pattern: '*' }))).toBe(
    '(nothing found)',
  )
})

test('THREAT-20 a parsed request never throws and holds only known fields', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
      const parsed = parseRequest(line)
      expect(['garbage', 'refused', 'request']).toContain(parsed.kind)
    }),
  )
})

test('REG-06 a call that cannot be parsed is answered once', async () => {
  await using client = await startClient()
  client.send({ type: 'call', id: 'x', tool: 'read' })
  expect(errorOf(await client.result('x')).category).toBe('invalid_parameters')
})

test('REG-06 an unknown tool is tool_not_found, also by a prototype name', async () => {
  await using client = await startClient()
  for (const tool of ['delete_everything', '__proto__', 'constructor']) {
    expect(errorOf(await client.call(tool, {})).category).toBe('tool_not_found')
  }
})

test('REG-06 a second call under an id in flight is not started', async () => {
  await using client = await startClient()
  const id = client.begin('bash', { command: 'while [ ! -e go ]; do sleep 0.05; done; echo first' })
  client.begin('bash', { command: 'touch second' }, { id })
  await client.call('write', { path: 'go', content: '' })
  expect(outputOf(await client.result(id))).toBe('first\n')
  expect(outputOf(await client.call('list_directory', { path: '.' }))).toBe('[file] go')
  expect(client.replies.filter((reply) => reply.type === 'result' && reply.id === id)).toHaveLength(
    1,
  )
})

test('REG-06 cancelling an id that is not in flight does nothing', async () => {
  await using client = await startClient()
  client.send({ type: 'cancel', id: 'nobody' })
  expect(outputOf(await client.call('bash', { command: 'echo ok' }))).toBe('ok\n')
})

test('BOX-02 a request of many megabytes in small pieces is read whole', async () => {
  await using client = await startClient()
  const content = 'é'.repeat(3_000_000)
  expect(outputOf(await client.call('write', { path: 'big', content }))).toContain('6000000 bytes')
})
