import fc from 'fast-check'
import { parse, stringify } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { pathGlobFault, regexFault } from '../../src/config/key-types.ts'
import { formatProblems } from '../../src/config/problems.ts'
import { readToml } from '../../src/config/read-toml.ts'
import { settingsSchema } from '../../src/config/schema/schema.ts'
import { keysOf, sectionOf, variableOf } from '../../src/config/shape.ts'
import { anyCharacter } from '../support/run/any-character.ts'
import { loadToml, loadWith, problemsOf } from './support.ts'

const keys = keysOf(sectionOf(settingsSchema))

const pieces = fc.constantFrom(
  ...['[', ']', '[[', ']]', '{', '}', '=', '.', ',', '\n', ' ', '#', '"', "'", '"""', "'''", '\\'],
  ...['tools', 'shell', 'permissions', 'bash', 'timeout', 'pattern', 'action', '__proto__', 'mcp'],
  ...['constructor', '1', '-1', 'nan', 'inf', 'true', '1979-05-27', '"*"', '\u{1F600}', '\0'],
  ...['\n[tools.shell]\n', '\n[[tools.permissions.bash]]\n', '\ntimeout = 30\n', '\r\n'],
)

const tomlLike = fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(''))

const anyToml = fc.oneof(tomlLike, fc.string({ unit: anyCharacter, maxLength: 200 }))

/** Tables whose names are the schema's, or nearly, and whose values are anything. */
const nearlyRight = fc.dictionary(
  fc.constantFrom(...Object.keys(settingsSchema.shape), 'other'),
  fc.dictionary(
    fc.constantFrom(...new Set(keys.flatMap((key) => key.path)), 'other'),
    fc.jsonValue({ maxDepth: 3 }).filter((value) => value !== null),
    { maxKeys: 4 },
  ),
  { maxKeys: 4 },
)

describe('REL-02 bad configuration of every kind gives clear problems', () => {
  test('REL-02 random bytes never throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => check(loadToml(bytes), 400)),
    )
  })

  test('REL-02 text that nearly is TOML never throws', () => {
    fc.assert(
      fc.property(anyToml, (text) => check(loadToml(text), text.split('\n').length)),
      { numRuns: 1_000 },
    )
  })

  test('REL-02 wrong values under right names never throw, and the problems name lines of the file', () => {
    fc.assert(
      fc.property(nearlyRight, (tree) => {
        const text = toToml(tree)
        check(loadToml(text), text.split('\n').length)
      }),
      { numRuns: 500 },
    )
  })

  test('REL-02 variables with any value never throw', () => {
    const variable = fc.constantFrom(
      ...keys.map((key) => variableOf(key.path)),
      'COUNTERSIGN_X',
      'REDIS_URL',
    )
    const value = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom('1', 'true', '[""]', '{"__proto__":[]}'),
    )
    fc.assert(
      fc.property(fc.dictionary(variable, value, { maxKeys: 6 }), (variables) => {
        check(loadWith({}, variables), 0)
      }),
      { numRuns: 500 },
    )
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  test('REL-02 taking out empty headers changes nothing that was TOML before', () => {
    fc.assert(
      fc.property(anyToml, (text) => {
        const plain = parsed(text)
        if (plain === undefined || text.includes('__proto__')) return
        expect(readToml(Buffer.from(text), 'x')).toMatchObject({ kind: 'ok', tree: plain })
      }),
      { numRuns: 1_000 },
    )
  })

  test('CONF-04 what only looks like an empty header is left alone', () => {
    const text = `a = """
[x]
[[x]]
"""
[y] # kept: something follows
k = 1
[z] # gone
# also a comment between

[["z"]]
k = '[q]'
`
    expect(readToml(Buffer.from(text), 'x')).toMatchObject({
      kind: 'ok',
      tree: { a: '[x]\n[[x]]\n', y: { k: 1 }, z: [{ k: '[q]' }] },
    })
    expect(readToml(Buffer.from('[x]\nk = 1\n[[x]]\n'), 'x').kind).toBe('invalid')
  })

  test('CONF-02 the line of an unknown key is right wherever it stands', () => {
    const filler = fc.constantFrom(
      '',
      '# [tools.shell]',
      'prefix_list = [\n  "a", # x\n  "]",\n]',
      'note = """\n[[x]]\nunknown = 1\n"""',
      "raw = '''\n[y]\n'''",
      'inline = { a = 1, "b c" = [1, 2], d.e = "}" }',
      'quoted."a.b" = "\\"#"',
      'when = 1979-05-27T07:32:00Z',
    )
    const keyed = (prefix: string) =>
      fc
        .array(filler, { maxLength: 6 })
        .map((lines) =>
          lines.map((line, index) => line.replace(/^\w+/u, (name) => `${prefix}${name}${index}`)),
        )
    fc.assert(
      fc.property(keyed('a'), keyed('b'), (before, after) => {
        const text = ['[other]', ...before, '[index]', ...before, 'unknwn = 1', ...after].join('\n')
        const line = text.split('\n').indexOf('unknwn = 1') + 1
        const problem = problemsOf(loadToml(text)).find(({ key }) => key === 'index.unknwn')
        expect(problem?.line).toBe(line)
      }),
    )
  })

  test('REL-02 huge and deep files are read in linear time', () => {
    const texts = [
      '['.repeat(100_000),
      `a = ${'['.repeat(100_000)}`,
      `a = [${'1,'.repeat(50_000)}]`,
      `${'a.'.repeat(50_000)}b = 1`,
      `a = ${'{b='.repeat(40_000)}`,
      '"'.repeat(100_001),
      `a = """${'\\"'.repeat(50_000)}`,
      ' \n'.repeat(50_000),
      '#\n'.repeat(50_000),
      'x = 1\n[y]\n'.repeat(10_000),
      Array.from({ length: 1_000 }, (_, index) => `[a${index}]\n[[a${index}]]\n`).join(''),
    ]
    // Quadratic work on any of them takes longer than this test may.
    for (const text of texts) {
      const read = readToml(Buffer.from(text), 'x')
      if (read.kind === 'invalid') expect(read.problems).toHaveLength(1)
    }
  }, 60_000)

  test('REL-02 checking patterns never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'[](){}?*!+|\\/.-^$<=:k1a') })),
        (text) => {
          for (const fault of [pathGlobFault(text), regexFault(text)]) {
            expect(['string', 'undefined']).toContain(typeof fault)
          }
        },
      ),
      { numRuns: 2_000 },
    )
  })
})

function check(result: ReturnType<typeof loadToml>, lines: number): void {
  if (result.kind === 'ok') return
  expect(result.problems.length).toBeGreaterThan(0)
  for (const { line, message } of result.problems) {
    expect(message).not.toBe('')
    if (line !== undefined) expect(line).toBeLessThanOrEqual(lines)
  }
  expect(formatProblems(result.problems)).not.toContain('undefined')
}

function parsed(text: string): unknown {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

/** JSON lists may mix what TOML lists may not hold; those are left out. */
function toToml(tree: object): string {
  try {
    return stringify(tree)
  } catch {
    return ''
  }
}
