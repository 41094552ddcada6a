import { describe, expect, test } from 'vitest'
import { applyOne } from './apply.ts'

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`)

describe('strip_noise', () => {
  const strategy = { type: 'strip_noise', patterns: ['^npm warn', '^\\s*$'] } as const

  test('OUT-04 drops lines that match a pattern: confidence is full if any was removed, otherwise fallback', () => {
    const some = applyOne(strategy, 'npm warn a\n\nadded 3\n  \nx npm warn\n')
    expect(some).toMatchObject({ text: 'added 3\nx npm warn', confidence: 'full' })
    const none = applyOne({ ...strategy, patterns: ['^never'] }, 'added 3')
    expect(none).toMatchObject({ text: 'added 3', confidence: 'fallback' })
  })

  test('OUT-04 states that only noise was printed when nothing is left', () => {
    expect(applyOne(strategy, 'npm warn a\nnpm warn b').text).toBe('(nothing but noise)')
    const text = 'npm warn a\nnpm warn b\n'
    const some = applyOne({ ...strategy, patterns: ['^npm warn'] }, text)
    expect(some).toMatchObject({ text: '(nothing but noise)\n', linesBefore: 2, linesAfter: 1 })
  })
})

test('OUT-02 a large output that would hardly shrink stays unchanged, and no lines are reported as removed', () => {
  const strategy = { type: 'strip_noise', patterns: ['^noise'] } as const
  const text = `noise\n${'line of the output\n'.repeat(2_000)}`
  expect(applyOne(strategy, text)).toMatchObject({ text, linesBefore: 2_001, linesAfter: 2_001 })
  const small = `noise\n${'line of the output\n'.repeat(20)}`
  expect(applyOne(strategy, small)).toMatchObject({ linesBefore: 21, linesAfter: 20 })
  const many = `${'noise\n'.repeat(600)}${text}`
  expect(applyOne(strategy, many)).toMatchObject({ linesBefore: 2_601, linesAfter: 2_000 })
})

describe('truncate', () => {
  test('OUT-04 keeps 20 lines at both ends of output over max_lines, with confidence partial', () => {
    const cut = applyOne({ type: 'truncate', max_lines: 50 }, numbered(100).join('\n'))
    const lines = cut.text.split('\n')
    expect(lines).toHaveLength(41)
    expect(lines[20]).toBe('[… 60 lines left out …]')
    expect(lines[19]).toBe('line 20')
    expect(lines[21]).toBe('line 81')
    expect(cut).toMatchObject({ confidence: 'partial', linesBefore: 100, linesAfter: 41 })
    const short = applyOne({ type: 'truncate', max_lines: 50 }, `${numbered(50).join('\n')}\n`)
    expect(short).toMatchObject({ confidence: 'full', linesBefore: 50, linesAfter: 50 })
  })

  test('OUT-04 accepts other limits, and keeps lines that match keep anywhere', () => {
    const lines = numbered(30)
    const strategy = { type: 'truncate', head: 1, tail: 2, max_lines: 10, keep: ['15$'] } as const
    expect(applyOne(strategy, lines.join('\n')).text.split('\n')).toEqual([
      'line 1',
      '[… 13 lines left out …]',
      'line 15',
      '[… 13 lines left out …]',
      'line 29',
      'line 30',
    ])
  })
})

describe('keep_matching', () => {
  test('OUT-04 keeps only matching lines; all of them if none matches', () => {
    const strategy = { type: 'keep_matching', patterns: ['^a', 'z$'] } as const
    expect(applyOne(strategy, 'ab\nb\nbz\nc')).toMatchObject({ text: 'ab\nbz', confidence: 'full' })
    expect(applyOne(strategy, 'x\ny')).toMatchObject({ text: 'x\ny', confidence: 'fallback' })
  })
})

describe('strip_annotated', () => {
  test('OUT-04 drops lines with the given prefixes', () => {
    const strategy = { type: 'strip_annotated', prefixes: ['note:', 'help:'] } as const
    const text = 'warning: x\n  note: y\nhelp: z\nfootnote: stays'
    expect(applyOne(strategy, text).text).toBe('warning: x\nfootnote: stays')
  })
})

describe('test_summary', () => {
  const strategy = { type: 'test_summary' } as const

  test('OUT-04 keeps failures and the final summary, drops what passed', () => {
    const text = [
      'running 3 tests',
      'test a::error_in_name ... ok',
      'test b ... FAILED',
      'test c ... ignored',
      '',
      'failures:',
      '',
      '---- b stdout ----',
      "thread 'b' panicked at src/lib.rs:4:5:",
      'whatever the author wrote',
      '',
      'test result: FAILED. 1 passed; 1 failed; 1 ignored',
      '',
    ].join('\n')
    const { text: shown, confidence } = applyOne(strategy, text, 101)
    expect(confidence).toBe('full')
    expect(shown).not.toContain('error_in_name')
    for (const line of text.split('\n').filter((each) => !/ok$|ignored$/.test(each))) {
      expect(shown.split('\n')).toContain(line)
    }
  })

  test('OUT-04 leaves text that is not from a test runner unchanged', () => {
    const text = 'compiled\nall fine'
    expect(applyOne(strategy, text)).toMatchObject({ text, confidence: 'fallback' })
  })

  test('OUT-04 shows the first packages that are ok and counts the others', () => {
    const text = Array.from({ length: 40 }, (_, at) => `ok  \texample.com/p${at}\t0.01s`).join('\n')
    const lines = applyOne(strategy, text).text.split('\n')
    expect(lines).toHaveLength(11)
    expect(lines.at(-1)).toBe('[… 30 more packages ok …]')
  })

  test("OUT-04 drops jest's tree of a passed file, unless it contains other lines", () => {
    const passed = 'PASS src/a.test.js\n  adding\n    ✓ one (2 ms)\n    ✓ two\n'
    const remark = 'PASS src/b.test.js\n  console.log\n    hello\n'
    const shown = applyOne(strategy, `${passed}\n${remark}\nTests: 3 passed, 3 total`).text
    expect(shown).not.toContain('adding')
    expect(shown).toContain('console.log\n    hello')
    expect(shown).toContain('Tests: 3 passed')
  })
})

describe('git_status', () => {
  const strategy = { type: 'git_status' } as const
  const long = [
    'On branch main',
    "Your branch is ahead of 'origin/main' by 1 commit.",
    '  (use "git push" to publish your local commits)',
    '',
    'Changes to be committed:',
    '  (use "git restore --staged <file>..." to unstage)',
    '\tmodified:   src/a.ts',
    '\tnew file:   src/b (1).ts',
    '',
    'Changes not staged for commit:',
    '\tmodified:   src/c.ts',
    '',
    'Untracked files:',
    '\tnotes/',
    '',
    'no changes added to commit (use "git add" and/or "git commit -a")',
  ].join('\n')

  test('OUT-04 shortens headings and keeps branch, staged, unstaged and untracked files', () => {
    expect(applyOne(strategy, long)).toMatchObject({
      confidence: 'full',
      text: [
        'On branch main',
        "Your branch is ahead of 'origin/main' by 1 commit.",
        'Staged:',
        '  modified: src/a.ts',
        '  new file: src/b (1).ts',
        'Unstaged:',
        '  modified: src/c.ts',
        'Untracked:',
        '  notes/',
      ].join('\n'),
    })
  })

  test('OUT-04 leaves the short format and errors unchanged', () => {
    const short = ' M src/a.ts\n?? notes/'
    expect(applyOne(strategy, short)).toMatchObject({ text: short, confidence: 'fallback' })
    expect(applyOne(strategy, long, 1).text).toBe(long)
  })
})

describe('git_diff', () => {
  const file = (name: string, lines: number) => [
    `diff --git a/${name} b/${name}`,
    'index 1..2 100644',
    `--- a/${name}`,
    `+++ b/${name}`,
    '@@ -1,2 +1,3 @@',
    ...Array.from({ length: lines - 1 }, (_, at) => `+error ${at}`),
  ]
  const text = [...file('big', 900), ...file('small', 20), ...file('large', 900)].join('\n')

  test('OUT-04 keeps file headers and at most max_diff_lines lines, shared among the files', () => {
    const { text: shown, confidence } = applyOne({ type: 'git_diff' }, text)
    expect(confidence).toBe('partial')
    const lines = shown.split('\n')
    for (const name of ['big', 'small', 'large']) {
      expect(lines).toContain(`diff --git a/${name} b/${name}`)
      expect(lines).toContain(`+++ b/${name}`)
    }
    const body = lines.filter((line) => /^(?:@@|\+error)/.test(line))
    expect(body).toHaveLength(500)
    expect(lines.filter((line) => line.startsWith('[…'))).toHaveLength(2)
    expect(lines.slice(-25)).toContain('[… 660 diff lines left out …]')
  })

  test('OUT-04 leaves short diffs, and text that is not a diff, unchanged', () => {
    const small = file('small', 20).join('\n')
    expect(applyOne({ type: 'git_diff' }, small)).toMatchObject({ text: small, confidence: 'full' })
    const stat = ' a.ts | 2 +-\n'
    expect(applyOne({ type: 'git_diff' }, stat)).toMatchObject({
      text: stat,
      confidence: 'fallback',
    })
  })

  test('OUT-04 keeps text between diffs', () => {
    const mixed = [...file('a', 30), '', 'commit 2', ...file('b', 30), 'fatal: x'].join('\n')
    const { text: shown } = applyOne({ type: 'git_diff', max_diff_lines: 4 }, mixed)
    expect(shown).toContain('\ncommit 2\n')
    expect(shown).toContain('\nfatal: x')
  })
})

describe('dedup', () => {
  test('OUT-04 counts consecutive lines that differ only in times and UUIDs', () => {
    const text = [
      '2026-01-02T03:04:05.678Z INFO beat 11111111-2222-3333-4444-555555555555',
      '2026-01-02T03:04:06.678Z INFO beat 61111111-2222-3333-4444-555555555555',
      '2026-01-02 03:04:07,1 INFO beat 71111111-2222-3333-4444-555555555555',
      'Jan  2 03:04:07 host x: up',
      'Jan  3 13:04:07 host x: up',
      'Jan  3 13:04:07 host x: down',
      'port 8080',
      'port 8081',
    ]
    expect(applyOne({ type: 'dedup' }, text.join('\n')).text.split('\n')).toEqual([
      `${text[0]} [×3]`,
      `${text[3]} [×2]`,
      'Jan  3 13:04:07 host x: down',
      'port 8080',
      'port 8081',
    ])
  })

  test('OUT-05 keeps every error line of a failed command', () => {
    const lines = [1, 2, 3].map((at) => `10:00:0${at} ERROR no route`)
    expect(applyOne({ type: 'dedup' }, lines.join('\n'), 1).text.split('\n')).toEqual(lines)
    const same = 'ERROR no route\n'.repeat(40)
    const text = 'ERROR no route\n[… the same line 39 more times …]\n'
    expect(applyOne({ type: 'dedup' }, same, 1).text).toBe(text)
  })
})

describe('group_by_rule', () => {
  const lint = (name: string, headline: string, place: string) => [
    headline,
    `  --> ${place}`,
    '   |',
    '13 |     code();',
    '   |     ^^^^',
    '   |',
    `   = help: for further information visit https://rust-lang.github.io/rust-clippy/master/index.html#${name}`,
    '',
  ]
  const text = [
    '    Checking orders v0.1.0 (/orders)',
    ...lint('const_fn', 'warning: this could be a `const fn`', 'src/a.rs:1:2'),
    ...lint('casts', 'error: casting `u8`', 'src/b.rs:1:2'),
    ...lint('const_fn', 'warning: this could be a `const fn`', 'src/c.rs:9:2'),
    ...lint('casts', 'error: casting `u16`', 'src/d.rs:1:2'),
    'error[E0308]: mismatched types',
    ' --> src/e.rs:3:4',
    '  |',
    '3 |     let x: u8 = "";',
    '  |                 ^^ expected `u8`, found `&str`',
    '',
    'error: could not compile `orders` (lib) due to 3 previous errors',
  ].join('\n')

  test('OUT-04 prints one block per lint rule with its locations, and leaves compile errors unchanged', () => {
    expect(applyOne({ type: 'group_by_rule' }, text, 101)).toMatchObject({
      confidence: 'full',
      text: [
        'warning: this could be a `const fn`',
        '  --> src/a.rs:1:2',
        '  --> src/c.rs:9:2',
        '  = lint const_fn, 2 places',
        '',
        'error: casting `u8`',
        '  --> src/b.rs:1:2',
        'error: casting `u16`',
        '  --> src/d.rs:1:2',
        '  = lint casts, 2 places',
        '',
        ...text.split('\n').slice(-7),
      ].join('\n'),
    })
  })

  const eslint = [
    '/w/a.js',
    '  1:10  warning  Unexpected console statement  no-console',
    "  2:1   error    'x' is not defined            no-undef",
    '',
    '/w/b.js',
    '  3:1   warning  Unexpected console statement  no-console',
    '  4:1   error    Parsing error: Unexpected token }',
    '',
    '✖ 4 problems (2 errors, 2 warnings)',
  ].join('\n')

  test('OUT-05 keeps errors of eslint in place and groups warnings if the command failed', () => {
    const { text: shown } = applyOne({ type: 'group_by_rule' }, eslint, 1)
    expect(shown.split('\n')).toEqual([
      'no-console: warning  Unexpected console statement',
      '  /w/a.js 1:10',
      '  /w/b.js 3:1',
      '/w/a.js',
      "  2:1   error    'x' is not defined            no-undef",
      '',
      '/w/b.js',
      '  4:1   error    Parsing error: Unexpected token }',
      '',
      '✖ 4 problems (2 errors, 2 warnings)',
    ])
  })

  test('OUT-04 leaves text without lint problems unchanged', () => {
    expect(applyOne({ type: 'group_by_rule' }, 'all fine')).toMatchObject({
      text: 'all fine',
      confidence: 'fallback',
    })
  })
})
