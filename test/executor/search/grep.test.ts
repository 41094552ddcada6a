import { execFileSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { ripgrep } from '../../support/ripgrep.ts'
import { type Client, type ClientOptions, errorOf, outputOf, startClient } from '../client.ts'

vi.setConfig({ testTimeout: 300_000 })

const withRipgrep: ClientOptions = { env: { COUNTERSIGN_RG: ripgrep } }
const withoutRipgrep: ClientOptions = { env: { PATH: '/nowhere' } }
const withoutLinearEngine: ClientOptions = { env: { PATH: '/nowhere' }, flags: [] }

const engines: [string, ClientOptions][] = [
  ['ripgrep', withRipgrep],
  ['the linear engine', withoutRipgrep],
  ['the thread alone', withoutLinearEngine],
]

async function put(client: Client, files: Readonly<Record<string, string | Buffer>>) {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(client.workspace, path)), { recursive: true })
    await writeFile(join(client.workspace, path), content)
  }
}

const tree = {
  'a.ts': 'one\ntwo {\nthree\n\nfive\r\nsix',
  'src/b.ts': 'const one = 1\nTWO\n',
  'src/deep/c.js': 'one two three\nÉcole\n😀 smile\n',
  '.hidden/d.ts': 'one\n',
  '.gitignore': 'src\n',
  'node_modules/e.ts': 'one\n',
  '.git/f.ts': 'one\n',
  'bin.dat': Buffer.from('one\0two\n'),
  'line\nbreak.ts': 'one\n',
}

test('FILE-08 ripgrep is available for the tests that compare with it', () => {
  expect(execFileSync(ripgrep, ['--version'], { encoding: 'utf8' })).toContain('ripgrep')
})

describe.each(engines)('by %s', (_name, options) => {
  test('FILE-08 grep returns path, line and text, in order', async () => {
    await using client = await startClient(options)
    await put(client, tree)
    await symlink('src', join(client.workspace, 'link'))
    expect(outputOf(await client.call('grep', { pattern: 'one' })).split('\n')).toEqual([
      '.hidden/d.ts:1: one',
      'a.ts:1: one',
      'line\\nbreak.ts:1: one',
      'src/b.ts:1: const one = 1',
      'src/deep/c.js:1: one two three',
    ])
  })

  test('FILE-08 grep accepts path, glob, case, context and a limit', async () => {
    await using client = await startClient(options)
    await put(client, tree)
    const grep = async (args: object) =>
      outputOf(await client.call('grep', { ...args } as Record<string, unknown>)).split('\n')
    expect(await grep({ pattern: 'two', case_sensitive: false, path: 'src' })).toEqual([
      'src/b.ts:2: TWO',
      'src/deep/c.js:1: one two three',
    ])
    expect(await grep({ pattern: 'école', case_sensitive: false })).toEqual([
      'src/deep/c.js:2: École',
    ])
    expect(await grep({ pattern: 'one', glob: '*.js' })).toEqual(['src/deep/c.js:1: one two three'])
    expect(await grep({ pattern: 'one', glob: 'src/**/*.{ts,js}', max_results: 1 })).toEqual([
      'src/b.ts:1: const one = 1',
      '(1 matching lines shown, there are more; narrow the search)',
    ])
    expect(await grep({ pattern: '^one', path: 'node_modules' })).toEqual([
      'node_modules/e.ts:1: one',
    ])
    expect(await grep({ pattern: 'f?ive$|^one$', path: 'a.ts', context: 1 })).toEqual([
      'a.ts:1: one',
      'a.ts-2- two {',
      '--',
      'a.ts-4- ',
      'a.ts:5: five',
      'a.ts-6- six',
    ])
  })

  test('FILE-08 a pattern that looks like an option or a brace is a pattern', async () => {
    await using client = await startClient(options)
    await put(client, { a: '--files\n-e x\nfn() {\n' })
    const grep = async (pattern: string) => outputOf(await client.call('grep', { pattern }))
    expect(await grep('--files')).toBe('a:1: --files')
    expect(await grep('-e x')).toBe('a:2: -e x')
    expect(await grep('fn\\(\\) {')).toBe('a:3: fn() {')
  })

  test('FILE-08 DECISION-29 a pattern that only one engine knows, or none, is invalid_parameters', async () => {
    await using client = await startClient(options)
    await put(client, { a: 'aa\n' })
    for (const pattern of [
      '(?=a)',
      '(?!a)',
      '(?<=a)b',
      '(a)\\1',
      '(?P<n>a)',
      'a**',
      '(',
      ')',
      '[',
      'a\\',
      '[]',
      '*a',
      'a{2,1}',
      '\\p{L}',
      'a\nb',
    ]) {
      const error = errorOf(await client.call('grep', { pattern }))
      expect([pattern, error.category]).toEqual([pattern, 'invalid_parameters'])
    }
  })

  test('FILE-08 no pattern hangs the executor', async () => {
    await using client = await startClient(options)
    await put(client, { evil: `${'a'.repeat(5000)}!\n${'a'.repeat(40)}!\n` })
    for (const pattern of ['(a+)+$', '(a|aa)+$', '(a?){25}a{25}$', '(.*.*)*x$']) {
      const id = client.begin('grep', { pattern }, { timeoutMs: 3000 })
      // The other calls continue meanwhile.
      const list = await client.call('list_directory', { path: '.' }, { timeoutMs: 60_000 })
      expect(outputOf(list)).toBe('[file] evil')
      const outcome = await client.result(id)
      if (outcome.kind === 'error') expect(outcome.error.category).toBe('timeout')
      else expect(outcome).toEqual({ kind: 'ok', output: '(nothing found)' })
    }
  })

  test('FILE-08 a line of many megabytes is truncated with a note', async () => {
    await using client = await startClient(options)
    await put(client, { min: `needle${'x'.repeat(20_000_000)}\n` })
    const output = outputOf(await client.call('grep', { pattern: 'needle' }))
    expect(output.length).toBeLessThan(2000)
    expect(output).toContain('[line cut]')
  })
})

test('FILE-08 `(a+)+$` ends by itself with ripgrep and with the linear engine', async () => {
  for (const options of [withRipgrep, withoutRipgrep]) {
    await using client = await startClient(options)
    await put(client, { evil: `${'a'.repeat(5000)}!\n` })
    expect(outputOf(await client.call('grep', { pattern: '(a+)+$' }))).toBe('(nothing found)')
  }
})

const atom = fc.constantFrom(
  'a',
  'b',
  'B',
  '.',
  '[ab]',
  '[^a]',
  '[a-c]',
  '\\w',
  '\\W',
  '\\d',
  '\\s',
  '\\S',
  '[\\s\\S]',
  '\\b',
  '^',
  '$',
  'é',
  '😀',
  '[é😀]',
  '{',
  '\\.',
  '\\x41',
  '[[:alpha:]]',
  '[\\x41b]',
  '[\\u0062-d]',
  '[\\u{1F600}]',
  '[^\\x61]',
  '[\\]a-]',
  '[\\t ]',
  '\\u00e9',
  '[A-C]',
  'k',
  '_',
)
const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,2}', '+?')
const term = fc
  .tuple(atom, quantifier)
  .map(([text, times]) => (/^(\^|\$|\\b)$/.test(text) ? text : text + times))
const pattern = fc
  .array(
    fc.oneof(
      term,
      fc.tuple(term, term).map(([a, b]) => `(${a}|${b})`),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join(''))
const content = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      'AB',
      'é',
      'É',
      '😀',
      '\n',
      '\n',
      '\r\n',
      ' ',
      '.',
      '_',
      '{',
      '\t',
      '1',
      'K',
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''))

test('FILE-08 the results with and without ripgrep are equal', async () => {
  await using fast = await startClient(withRipgrep)
  await using slow = await startClient(withoutRipgrep)
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(content, content),
      pattern,
      fc.boolean(),
      fc.integer({ min: 0, max: 2 }),
      fc.integer({ min: 1, max: 4 }),
      async ([one, two], expression, case_sensitive, context, max_results) => {
        // An end before a start can only match an empty line, where ripgrep's own line splitting decides.
        fc.pre(!/\$.*\^/.test(expression))
        for (const client of [fast, slow]) await put(client, { one, two })
        const args = { pattern: expression, case_sensitive, context, max_results }
        const [ours, theirs] = await Promise.all([fast.call('grep', args), slow.call('grep', args)])
        expect(theirs).toEqual(ours)
      },
    ),
    { numRuns: 100 },
  )
})
