import { expect } from 'vitest'
import { requirement } from '../../support/run/requirements.ts'
import { type Attack, attack } from './hostile.ts'

const { bubblewrap } = requirement

const namesOf = ({ hostile }: Attack) => hostile.states.at(-1)?.tools.map(({ name }) => name)

/** A list that cannot be used costs this server, and only as long as it lasts. */
function costsItself(title: string, kind: string, note: RegExp): void {
  bubblewrap(`MCP-08 ${title}: the server is away, says why, and comes back`, async () => {
    await using it = await attack(kind, { once: true })
    const { note: why, tools } = await it.hostile.until(({ state }) => state === 'away')
    expect([why, tools]).toEqual([expect.stringMatching(note), []])
    await it.hostile.until(({ state }) => state === 'up')
    expect(await it.call()).toEqual({ kind: 'ok', output: 'fine' })
    await it.expectHarmless()
  })
}

costsItself('a byte a second while it connects', 'slow-connect', /timed out|in time|took more/)
costsItself('a byte a second while it lists its tools', 'slow-list', /timed out|in time|took more/)
costsItself('an exit while it connects', 'exit-connect', /./)
costsItself('an exit in the middle of a list', 'exit-list', /closed|ended/)
costsItself('a SIGKILL in the middle of a list', 'kill-list', /closed|ended/)

bubblewrap(
  'MCP-08 endless pages: the server is away, says why, and is tried again with growing pauses',
  async () => {
    await using it = await attack('pages')
    const { note } = await it.hostile.until(({ state }) => state === 'away')
    expect(note).toMatch(/pag/)
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    expect(it.hostile.states.length).toBeLessThan(20)
    await it.expectHarmless()
  },
)

bubblewrap('MCP-08 pages of many megabytes: the server is away and says why', async () => {
  await using it = await attack('fat-pages')
  const { note } = await it.hostile.until(({ state }) => state === 'away')
  expect(note).toMatch(/list of tools has more than/)
  await it.expectHarmless()
})

bubblewrap(
  'MCP-08 a schema that is nested 10,000 deep: the server is away and says why',
  async () => {
    await using it = await attack('abyss')
    const { note } = await it.hostile.until(({ state }) => state === 'away')
    expect(note).toContain('nested too deeply')
    await it.expectHarmless()
  },
)

bubblewrap('MCP-08 of 5,000 tools 128 are used, and it is said that there are more', async () => {
  await using it = await attack('many')
  const { tools, note = '' } = await it.hostile.until(({ state }) => state === 'up')
  expect(tools).toHaveLength(128)
  expect(note).toContain('it offers more than 128')
  expect(note.length).toBeLessThanOrEqual(2_000)
  expect(await it.call()).toEqual({ kind: 'ok', output: 'fine' })
  await it.expectHarmless()
})

for (const [title, kind, note] of [
  ['a schema that is nested 100 deep', 'deep', 'nested too deeply'],
  ['an output schema and _meta that are nested 100 deep', 'deep-output', 'nested too deeply'],
  ['a schema of 10 MB', 'big', 'more than'],
] as const)
  bubblewrap(`MCP-08 ${title} costs that tool alone`, async () => {
    await using it = await attack(kind)
    const state = await it.hostile.until(({ state }) => state === 'up')
    expect(state.tools.map(({ name }) => name)).toEqual(['good'])
    expect(state.note).toMatch(new RegExp(`^"bad": .*${note}`))
    expect(await it.call()).toEqual({ kind: 'ok', output: 'fine' })
    await it.expectHarmless()
  })

bubblewrap(
  'MCP-08 a $ref bomb is neither resolved nor fetched, and its tool can be called',
  async () => {
    await using it = await attack('refs')
    await it.hostile.until(({ state }) => state === 'up')
    expect(namesOf(it)).toEqual(['good', 'bomb'])
    expect(await it.call('it_bomb')).toEqual({ kind: 'ok', output: 'fine' })
    await it.expectHarmless()
  },
)

bubblewrap('MCP-08 a list of the wrong shape: the server is away and says why', async () => {
  await using it = await attack('shape')
  const { note = '' } = await it.hostile.until(({ state }) => state === 'away')
  expect(note).not.toBe('')
  expect(note.length).toBeLessThanOrEqual(2_000)
  await it.expectHarmless()
})

bubblewrap('MCP-08 a list that changes with each look is told less and less often', async () => {
  await using it = await attack('changing')
  await it.hostile.until(({ state }) => state === 'up')
  await new Promise((resolve) => setTimeout(resolve, 11_000))
  // Without the growing pause these would be six.
  expect(it.hostile.states.length).toBeLessThanOrEqual(4)
  await it.expectHarmless()
})

bubblewrap(
  'MCP-08 REG-03 names: what cannot be a name is left out and named, and no name is that of a built-in tool',
  async () => {
    await using it = await attack('names')
    const { tools, note = '' } = await it.hostile.until(({ state }) => state === 'up')
    expect(tools.map(({ name }) => name)).toEqual([
      ...['bash', 'read', 'good', 'a b', '__proto__', 'constructor', 're\u200Bad'],
      ...[expect.stringContaining('evil'), 'toString'],
    ])
    expect(note).toContain('"a_b": another tool is called it_a_b too')
    expect(note).toContain('"": it has no name')
    expect(note).toContain('its name has more than 128 characters')
    const { server } = it.hostile
    expect(server.find('bash')).toBeUndefined()
    expect(server.find('it_re_ad')?.name).toBe('re\u200Bad')
    expect(server.find('__proto__')).toBeUndefined()
    expect(await it.call('it___proto__')).toEqual({ kind: 'ok', output: 'fine' })
    await it.expectHarmless()
  },
)
