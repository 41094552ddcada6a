import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseRequest } from '../../../../src/adapters/model/offline/plan-turn.ts'
import { processorMs } from '../../../support/processor-ms.ts'
import { anyCharacter } from '../../../support/run/any-character.ts'

const understood: readonly (readonly [string, string, Readonly<Record<string, unknown>>])[] = [
  ['list the files here', 'list_directory', { path: '.' }],
  ['List the files.', 'list_directory', { path: '.' }],
  ['what files are there?', 'list_directory', { path: '.' }],
  ['show me the files in src/lib', 'list_directory', { path: 'src/lib' }],
  ['ls docs', 'list_directory', { path: 'docs' }],
  ['read notes.txt', 'read', { path: 'notes.txt' }],
  ['Please show me the contents of "my notes.txt".', 'read', { path: 'my notes.txt' }],
  ['what is in notes.txt?', 'read', { path: 'notes.txt' }],
  ['cat ../up/.env', 'read', { path: '../up/.env' }],
  ['find *.md', 'find_path', { path: '.', pattern: '*.md' }],
  ['find all files named *.ts in src', 'find_path', { path: 'src', pattern: '*.ts' }],
  ['find readme', 'find_path', { path: '.', pattern: '*readme*' }],
  ['search for hello', 'grep', { pattern: 'hello' }],
  ['search for "a.b (c)" in src', 'grep', { pattern: 'a\\.b \\(c\\)', path: 'src' }],
  ['grep /^a.*z$/ in notes.txt', 'grep', { pattern: '^a.*z$', path: 'notes.txt' }],
  ['search the files for hello world', 'grep', { pattern: 'hello world' }],
  ['find the word hello in the files', 'grep', { pattern: 'hello' }],
  ['write notes.txt saying hello', 'write', { path: 'notes.txt', content: 'hello' }],
  [
    'create a file called a/b.txt with the text "one, two"',
    'write',
    { path: 'a/b.txt', content: 'one, two' },
  ],
  ['write hello there to notes.txt', 'write', { path: 'notes.txt', content: 'hello there' }],
  [
    'write notes.txt saying one\ntwo\n three',
    'write',
    { path: 'notes.txt', content: 'one\ntwo\n three' },
  ],
  ['append it’s done to log.txt', 'bash', { command: "printf '%s\\n' 'it’s done' >> 'log.txt'" }],
  ["append it's to log.txt", 'bash', { command: "printf '%s\\n' 'it'\\''s' >> 'log.txt'" }],
  [
    'replace hello with good bye in notes.txt',
    'edit',
    { path: 'notes.txt', old_string: 'hello', new_string: 'good bye' },
  ],
  [
    'in notes.txt replace "a" with "b"',
    'edit',
    { path: 'notes.txt', old_string: 'a', new_string: 'b' },
  ],
  [
    'edit notes.txt: change a to b',
    'edit',
    { path: 'notes.txt', old_string: 'a', new_string: 'b' },
  ],
  ['make a directory called drafts', 'create_directory', { path: 'drafts' }],
  ['mkdir -p a/b', 'create_directory', { path: 'a/b' }],
  ['delete the file notes.txt', 'delete_path', { path: 'notes.txt' }],
  ['rename a.txt to b.txt', 'move_path', { source: 'a.txt', destination: 'b.txt' }],
  ['copy a.txt to b.txt', 'copy_path', { source: 'a.txt', destination: 'b.txt' }],
  ['run the command: wc -c notes.txt', 'bash', { command: 'wc -c notes.txt' }],
  ['run the command: ls .', 'bash', { command: 'ls .' }],
  ['run `echo "a and b"`', 'bash', { command: 'echo "a and b"' }],
  ['run the command: if true; then echo hi; fi', 'bash', { command: 'if true; then echo hi; fi' }],
  [
    'run the command: while read x; do cat $x; done',
    'bash',
    { command: 'while read x; do cat $x; done' },
  ],
  ['$ rm -rf build', 'bash', { command: 'rm -rf build' }],
  ['fetch https://example.com', 'fetch', { url: 'https://example.com' }],
  [
    'Can you fetch the page https://example.com/a?b=c.',
    'fetch',
    { url: 'https://example.com/a?b=c' },
  ],
  [
    'scrape h1 from https://example.com',
    'web_scrape',
    { url: 'https://example.com', select: 'h1' },
  ],
  ['use memory_save {"text": "the key is {blue}"}', 'memory_save', { text: 'the key is {blue}' }],
  ['[2026-11-21 10:00] list the files here', 'list_directory', { path: '.' }],
]

test.each(understood)('MODEL-03 understands “%s”', (text, tool, args) => {
  expect(parseRequest(text)).toEqual([[{ kind: 'call', tool, arguments: args }]])
})

test('MODEL-03 takes “then” as the next step and “and” as one more in the same', () => {
  const text =
    'write a.txt saying hello, then run the command: wc -c a.txt and then read a.txt and list the files'
  const tools = parseRequest(text).map((batch) =>
    batch.map((step) => (step.kind === 'call' ? step.tool : step.kind)),
  )
  expect(tools).toEqual([['write'], ['bash'], ['read', 'list_directory']])
})

test('MODEL-03 leaves “then” and “and” alone inside quotes and inside what is to be written', () => {
  expect(parseRequest('write a.txt saying "first then read b.txt"')).toEqual([
    [
      {
        kind: 'call',
        tool: 'write',
        arguments: { path: 'a.txt', content: 'first then read b.txt' },
      },
    ],
  ])
  expect(parseRequest('write a.txt saying salt and find pepper')).toEqual([
    [
      {
        kind: 'call',
        tool: 'write',
        arguments: { path: 'a.txt', content: 'salt and find pepper' },
      },
    ],
  ])
})

test('MODEL-03 runs two commands side by side when both are named so', () => {
  expect(parseRequest('run the command: date and run the command: id').flat()).toMatchObject([
    { arguments: { command: 'date' } },
    { arguments: { command: 'id' } },
  ])
})

test.each([
  'hello',
  'what is the meaning of life?',
  'write me a poem',
  '',
  'then',
  'use bash {broken',
])('MODEL-03 does not guess at “%s”', (text) => {
  expect(
    parseRequest(text)
      .flat()
      .every((step) => step.kind === 'unknown'),
  ).toBe(true)
})

test('REL-02 any text is parsed, in reasonable time', () => {
  const piece = fc.constantFrom(
    'replace ',
    ' with ',
    ' in ',
    'write ',
    ' to ',
    ' then ',
    ' and ',
    'read ',
    '"',
    '`',
    ' a',
    '  ',
    '\n',
    'run the command: ',
    'https://x',
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: anyCharacter }),
        fc.array(piece, { maxLength: 200 }).map((pieces) => pieces.join('')),
      ),
      (text) => {
        expect(Array.isArray(parseRequest(text))).toBe(true)
      },
    ),
  )
  for (const hostile of [
    'replace with in '.repeat(5_000),
    'append a to '.repeat(5_000),
    'write '.repeat(10_000),
    ' '.repeat(90_000),
    `read ${'"'.repeat(50_000)}`,
    'read a and '.repeat(5_000),
  ]) {
    expect(processorMs(() => parseRequest(hostile))).toBeLessThan(5_000)
  }
})

const came = '[Files that came with this message]\n- uploads/report.txt (9 bytes, text/plain)'

test('MODEL-03 CHAT-07 a file without words is shown where it is, and with words these are the request', () => {
  const shown = { kind: 'call', tool: 'list_directory', arguments: { path: 'uploads' } }
  expect(parseRequest(came)).toEqual([[shown]])
  expect(parseRequest(`[Ada] ${came}`)).toEqual([[shown]])
  const read = { kind: 'call', tool: 'read', arguments: { path: 'uploads/report.txt' } }
  expect(parseRequest(`read uploads/report.txt\n\n${came}`)).toEqual([[read]])
})

test('MODEL-03 CHAT-07 of a file that was not saved nothing is looked for', () => {
  const lost = '[Files that came with this message]\n- “x” was not saved: it is larger than 20 MB'
  expect(parseRequest(lost)).toMatchObject([[{ kind: 'unknown' }]])
})
