import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { onlyLooks } from '../../../../src/rules/gate/shell/programs/awk-program.ts'

/** What programs are made of here: whatever compares, divides, quotes or writes, right and wrong. */
const pieces = [
  ...[
    'print',
    'print ',
    'printf "%s",',
    '$1',
    '$2',
    'x',
    'y',
    '"out"',
    '"a|b"',
    '"touch out"',
    '>',
    '>',
    '>>',
    '|',
    '||',
  ],
  ...[
    '(',
    ')',
    '{',
    '}',
    '[',
    ']',
    ';',
    '\n',
    ',',
    '/a/',
    '/"/',
    '/a|b/',
    '/',
    '/[/]/',
    '"',
    '\\"',
    '1',
    '2',
    '=',
    '==',
  ],
  ...[
    'if (x) ',
    'for (;;) ',
    'BEGIN',
    'END',
    'NR',
    'NF',
    '!',
    '~',
    '&&',
    '?',
    ':',
    '++',
    ' ',
    '-',
    'length',
    'in',
    'a[1]',
  ],
]

const shapes = [
  ...[
    '@ {@}',
    '{print @}',
    '{print @; @}',
    '{if (@) print @}',
    'NR>1 {print @}',
    '{print (@) @}',
    '@{print}@',
  ],
  ...[
    '{for (@;0;@) print @}',
    '/@/ {print @}',
    '{x = @; print @}',
    'BEGIN {print @ > 1; @}',
    '{print a[@] @} END {@}',
  ],
]

const program = fc
  .tuple(
    fc.constantFrom(...shapes),
    fc.array(fc.array(fc.constantFrom(...pieces), { maxLength: 4 }), {
      minLength: 4,
      maxLength: 4,
    }),
  )
  .map(([shape, parts]) => {
    let at = 0
    return shape.replaceAll('@', () => parts[at++ % 4]?.join('') ?? '')
  })

/** Files that a program left behind; the awk of this system runs it, in a directory of its own. */
function leftBy(text: string): readonly string[] {
  const directory = mkdtempSync(join(tmpdir(), 'gate-awk-'))
  try {
    writeFileSync(join(directory, 'in'), '1 2\n3 a\n')
    const options = { cwd: directory, timeout: 500, stdio: 'ignore', maxBuffer: 65_536 } as const
    spawnSync('awk', [text, 'in'], options)
    return readdirSync(directory).filter((name) => name !== 'in')
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

test('SHELL-04 SHELL-10 an awk program that is said to look only writes nothing and runs nothing', () => {
  expect(leftBy('{print > "out"}')).toEqual(['out'])
  expect(leftBy('{print | "touch out"}')).toEqual(['out'])
  const looking = [...new Set(fc.sample(program, 30_000))].filter(
    (text) => /[>|]/.test(text) && onlyLooks(text),
  )
  expect(looking.length).toBeGreaterThan(100)
  for (const text of looking.slice(0, 100))
    expect({ text, left: leftBy(text) }).toEqual({ text, left: [] })
})

test('SHELL-09 long and odd programs are read in no time', () => {
  for (const piece of ['/[a', '"\\"', '((', '{print ', 'a[', '/a|', '> ', 'x ', '$'])
    expect(onlyLooks(`NR>1{print "|" ${piece.repeat(2_000)}`)).toBe(false)
})
