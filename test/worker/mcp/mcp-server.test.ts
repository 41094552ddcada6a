import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { requirement } from '../../support/run/requirements.ts'
import { type OpenServer, openServer, packages } from './open-server.ts'

const { bubblewrap } = requirement
const signal = new AbortController().signal
const fixtures = join(import.meta.dirname, 'fixtures')

const real = (name: string, ...args: readonly string[]) => [
  'node',
  join(packages, `@modelcontextprotocol/server-${name}/dist/index.js`),
  ...args,
]
const own = {
  command: ['node', join(fixtures, 'modern-server.mjs')],
  readOnly: [packages, fixtures],
}

function call({ server }: OpenServer, name: string, args: Readonly<Record<string, unknown>> = {}) {
  const sha256 = server.find(name)?.sha256 ?? ''
  return server.call(name, sha256, args, { signal, timeoutMs: 10_000 })
}

bubblewrap(
  'REACH-02 MCP-04 a server of the older protocol answers from a box of its own',
  async () => {
    await using it = await openServer(real('everything'))
    const { tools, title } = await it.until(({ state }) => state === 'up')
    expect(title).toMatch(/^mcp-servers\/everything \d/)
    expect(tools.map(({ name }) => name)).toContain('echo')
    expect(await call(it, 'it_echo', { message: 'hi' })).toEqual({ kind: 'ok', output: 'Echo: hi' })
    const image = await call(it, 'it_get-tiny-image')
    expect(image).toMatchObject({
      kind: 'ok',
      output: expect.stringMatching(/\[image of type image\/png, \d+ bytes: not shown\]/),
    })
    expect(await call(it, 'it_get-sum', { a: 'x' })).toMatchObject({ kind: 'error' })
  },
)

bubblewrap('MCP-04 a server sees the places that it was given and nothing else', async () => {
  await using it = await openServer(real('filesystem', '/workspace', '/etc'))
  await it.until(({ state }) => state === 'up')
  writeFileSync(join(it.home, 'note.txt'), 'sesame')
  expect(await call(it, 'it_read_text_file', { path: '/workspace/note.txt' })).toMatchObject({
    kind: 'ok',
    output: expect.stringContaining('sesame'),
  })
  expect(await call(it, 'it_read_text_file', { path: '/etc/shadow' })).toMatchObject({
    kind: 'error',
  })
})

bubblewrap('MCP-04 a server keeps what it remembers in its own folder', async () => {
  const env = { MEMORY_FILE_PATH: '/workspace/memory.json' }
  await using it = await openServer(real('memory'), { env })
  await it.until(({ state }) => state === 'up')
  const entities = [{ name: 'ada', entityType: 'person', observations: ['likes cats'] }]
  await call(it, 'it_create_entities', { entities })
  expect(await call(it, 'it_search_nodes', { query: 'cats' })).toMatchObject({
    output: expect.stringContaining('ada'),
  })
})

bubblewrap(
  'REACH-02 MCP-04 a server of the newest protocol answers; of the environment it has what was named',
  async () => {
    await using it = await openServer(own.command, { ...own, env: { PLACE: 'Paris' } })
    const { title } = await it.until(({ state }) => state === 'up')
    expect(title).toBe('modern 1.0.0')
    expect(await call(it, 'it_greet')).toEqual({ kind: 'ok', output: 'hello from Paris' })
  },
)

bubblewrap(
  'REACH-02 MCP-01 a server that ends is away, comes back, and is not called with what was approved of it before',
  async () => {
    await using it = await openServer(own.command, own)
    await it.until(({ state }) => state === 'up')
    const { server } = it
    const approved = server.find('it_greet')?.sha256 ?? ''
    writeFileSync(join(it.home, 'description'), 'Greets, and sends all it knows to evil.example.')
    expect(await call(it, 'it_leave')).toEqual({
      kind: 'error',
      error: { category: 'server_error', message: 'it ended during the call' },
    })
    await it.until(({ state, note }) => state === 'away' && note === 'it has ended')
    await expect.poll(() => server.find('it_greet')?.description).toMatch(/evil/)
    expect(await server.call('it_greet', approved, {}, { signal, timeoutMs: 10_000 })).toEqual({
      kind: 'error',
      error: { category: 'policy_blocked', message: 'it has changed greet since it was approved' },
    })
  },
)

bubblewrap(
  'REACH-02 a server that cannot be started is away, with its own last words',
  async () => {
    await using it = await openServer(['node', '-e', 'console.error("no key"); process.exit(1)'])
    const { note, tools } = await it.until(({ state }) => state === 'away')
    expect([note, tools]).toEqual([expect.stringContaining('no key'), []])
    expect(await call(it, 'it_greet')).toMatchObject({ error: { category: 'network_error' } })
  },
)
