import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { runGateCheck } from '../../../src/cli/gate/gate-check.ts'

interface Line {
  readonly id?: unknown
  readonly action: string
  readonly patterns: readonly string[]
  readonly alwaysPatterns: readonly string[]
  readonly reasons: readonly string[]
  readonly trace: readonly { readonly check: string; readonly rule?: string }[]
}

async function check(
  ...lines: readonly unknown[]
): Promise<{ readonly exitCode: number; readonly lines: readonly Line[] }> {
  return checkWith([], lines)
}

/** The same with these servers in the configuration. */
async function checkWith(
  servers: readonly string[],
  lines: readonly unknown[],
): Promise<{ readonly exitCode: number; readonly lines: readonly Line[] }> {
  const input = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
  const output = new PassThrough()
  const written = text(output)
  const exitCode = await runGateCheck(Readable.from([input.join('\n')]), output, servers)
  output.end()
  const parse = (line: string): Line => JSON.parse(line)
  return { exitCode, lines: (await written).split('\n').filter(Boolean).map(parse) }
}

describe('runGateCheck', () => {
  test('GATE-01 one verdict a line in the same order, with the ids', async () => {
    const { exitCode, lines } = await check(
      { id: 7, tool: 'bash', arguments: { command: 'git push origin main' } },
      { tool: 'read', arguments: { path: 'a' } },
      { id: 'x', tool: 'read', arguments: { path: './.ENV' } },
    )
    expect(exitCode).toBe(0)
    expect(lines.map(({ action }) => action)).toEqual(['ask', 'allow', 'deny'])
    expect(lines.map(({ id }) => id)).toEqual([7, undefined, 'x'])
    expect(lines[0]).toMatchObject({
      patterns: ['git push origin main'],
      alwaysPatterns: ['git push *'],
    })
    expect(Object.keys(lines[0] ?? {})).toEqual([
      'id',
      'action',
      'patterns',
      'alwaysPatterns',
      'reasons',
      'trace',
    ])
    expect(lines[2]?.trace[0]?.rule).toBe('worker: read "*.env" deny')
  })

  test('GATE-01 only a line feed ends a line', async () => {
    const { exitCode, lines } = await check(
      { id: 1, tool: 'bash', arguments: { command: 'echo a\u2028rm b\u2029c\u0085' } },
      '',
      ' {"id": 2, "tool": "read", "arguments": {"path": "a"}}\r',
    )
    expect(exitCode).toBe(0)
    expect(lines.map(({ id, action }) => [id, action])).toEqual([
      [1, 'ask'],
      [2, 'allow'],
    ])
  })

  test('GATE-02 permissions replace the defaults, layers are as they are given', async () => {
    const bash = { tool: 'bash', arguments: { command: 'ls' } }
    const { lines } = await check(
      { ...bash, permissions: { bash: 'allow' } },
      {
        ...bash,
        permissions: { bash: 'allow' },
        operator: { bash: [{ pattern: 'LS', action: 'deny' }] },
      },
      {
        ...bash,
        permissions: { '*': 'allow' },
        agent: { '*': [{ pattern: '*', action: 'deny' }] },
      },
      { ...bash, session: [{ tool: 'bash', pattern: 'ls' }] },
      { ...bash, permissions: { bash: 'yes' } },
      { ...bash, tool: 'shell_exec', permissions: { shell_exec: 'allow' } },
    )
    expect(lines.map(({ action }) => action)).toEqual([
      'allow',
      'deny',
      'deny',
      'allow',
      'ask',
      'allow',
    ])
    expect(lines[4]?.reasons.join()).toContain('"yes" is not an action')
  })

  test('GATE-04 the order of keys is kept, including those that look like numbers', async () => {
    const line =
      '{"tool":"bash","arguments":{"command":"1"},"permissions":{"bash":{"*":"ask","1":"allow"}}}'
    expect((await check(line)).lines[0]?.action).toBe('allow')
    const other =
      '{"tool":"bash","arguments":{"command":"1"},"permissions":{"bash":{"1":"allow","*":"ask"}}}'
    expect((await check(other)).lines[0]?.action).toBe('ask')
  })

  test('REG-05 an unknown tool and unfit arguments are denied, which is no bad line', async () => {
    const { exitCode, lines } = await check(
      { id: 1, tool: 'red', arguments: { path: 'a' } },
      { id: 2, tool: 'read', arguments: { path: 5 } },
      { id: 3, tool: 'read', arguments: {} },
      { id: 4, tool: 'read', arguments: { path: 'a', more: 1 } },
    )
    expect(exitCode).toBe(0)
    expect(lines.map(({ action }) => action)).toEqual(['deny', 'deny', 'deny', 'deny'])
    const reasons = lines.map((line) => line.reasons.join())
    expect(reasons[0]).toContain('tool_not_found')
    expect(reasons[0]).toContain('read')
    expect(reasons[1]).toContain('type_mismatch')
    expect(reasons[2]).toContain('invalid_parameters')
    expect(reasons[3]).toContain('more')
  })

  test.each([
    '{bad',
    '[]',
    '"x"',
    'null',
    '{"tool":"bash"}',
    '{"tool":1,"arguments":{}}',
    '{"tool":"bash","arguments":{"command":"ls"},"extra":1}',
    '{"tool":"bash","arguments":{"command":"ls"},"session":["ls"]}',
    '{"tool":"bash","arguments":{"command":"ls"},"operator":{"read":[{"pattern":"!x","action":"deny"}]}}',
    '{"tool":"bash","arguments":{"command":"ls"},"operator":{"bash":[{"pattern":"x","action":"no"}]}}',
  ])(
    'GATE-09 the bad line %j is denied, the others are still answered, and the exit code is 1',
    async (line) => {
      const { exitCode, lines } = await check(line, {
        id: 2,
        tool: 'read',
        arguments: { path: 'a' },
      })
      expect(exitCode).toBe(1)
      expect(lines[0]).toMatchObject({ action: 'deny', patterns: [], alwaysPatterns: [] })
      expect(lines[0]?.reasons[0]).toBeTypeOf('string')
      expect(lines[0]?.trace.length).toBe(1)
      expect(lines[1]).toMatchObject({ id: 2, action: 'allow' })
    },
  )

  test('GATE-09 a bad line keeps its id', async () => {
    expect((await check('{"id":9,"tool":"bash"}')).lines[0]?.id).toBe(9)
  })

  test('GATE-01 empty lines are skipped, and empty input gives empty output', async () => {
    expect(await check('', '  ')).toEqual({ exitCode: 0, lines: [] })
  })

  test('MCP-03 the tools of servers are named by server and tool, or by a configured server', async () => {
    const permissions = {
      '*': 'ask',
      mcp__github__create_issue: { 'repo=acme/*': 'allow', '*': 'ask' },
    }
    const first = { 'repo=acme/*': 'allow' }
    const args = { repo: 'acme/web' }
    const lines = [
      { tool: 'mcp__github__create_issue', arguments: args, permissions },
      { tool: 'mcp__github__create_issue', arguments: args, permissions: { mcp__github: first } },
      {
        tool: 'create_issue',
        server: 'github',
        arguments: args,
        permissions: { mcp__github: first },
      },
      {
        tool: 'create_issue',
        server: 'gitlab',
        arguments: args,
        permissions: { mcp__github: first },
      },
      { tool: 'github_create_issue', arguments: args, permissions: { mcp__github: first } },
      {
        tool: 'mcp__github__create_issue',
        arguments: { repo: 'evil/x' },
        permissions: { mcp__github: first },
      },
    ]
    const known = await checkWith(['github'], lines)
    expect(known.exitCode).toBe(0)
    expect(known.lines.map(({ action }) => action)).toEqual([
      'ask',
      'allow',
      'allow',
      'ask',
      'allow',
      'ask',
    ])
    expect(known.lines[5]).toMatchObject({
      patterns: ['{"repo":"evil/x"}'],
      alwaysPatterns: ['{"repo":"evil/x"}'],
    })
    const unknown = await checkWith([], lines)
    expect(unknown.lines[4]).toMatchObject({
      action: 'deny',
      reasons: [expect.stringMatching(/^tool_not_found/)],
    })
  })

  test('MCP-03 a field that stands twice in the line is refused, in whatever order', async () => {
    const call = (text: string) =>
      `{"tool":"mcp__github__create_issue","permissions":{"mcp__github":"allow"},"arguments":${text}}`
    const { lines } = await check(
      call('{"repo":"acme/a"}'),
      call('{"repo":"acme/a","repo":"evil/b"}'),
      call('{"repo":"evil/b","repo":"acme/a"}'),
      call('{"a":[{"n":9007199254740993}]}'),
    )
    expect(lines.map(({ action }) => action)).toEqual(['allow', 'deny', 'deny', 'deny'])
    expect(lines[1]?.reasons).toEqual([
      'invalid_parameters: "repo": this field stands more than once',
    ])
  })
})
