import { describe, expect, test } from 'vitest'
import { applyBuiltIn, applyOne } from './apply.ts'
import { samples } from './samples.ts'

function shownOf(command: string, lines: readonly string[], exitCode: number | null = 1): string {
  return applyBuiltIn(command, lines.join('\n'), exitCode)?.text ?? ''
}

describe('a Go test that did not finish', () => {
  const passed = ['=== RUN   TestFirst', '--- PASS: TestFirst (0.00s)']

  test('OUT-05 is shown if it ended the process', () => {
    const shown = shownOf('go test -v', [
      ...passed,
      '=== RUN   TestConnectsToQueue',
      '2026/11/23 00:00:00 dial queue: 3 attempts used up',
      'FAIL\texample.com/x\t0.003s',
    ])
    expect(shown).toContain('TestConnectsToQueue')
    expect(shown).not.toContain('TestFirst')
  })

  test('OUT-05 is shown once if it hangs', () => {
    const lines = [...passed, '=== RUN   TestHang', '=== PAUSE TestHang', '=== CONT  TestHang']
    for (const exitCode of [1, 124, 137, null]) {
      const shown = shownOf('go test -v', [...lines, ...Array(20).fill('tick')], exitCode)
      expect(shown.match(/TestHang/g)).toHaveLength(1)
    }
    expect(shownOf('timeout 60 go test -v ./...', lines, 124)).toContain('TestHang')
  })

  test('OUT-05 is shown even if a test of that name passed in another package', () => {
    const shown = shownOf('go test -v ./...', [
      '=== RUN   TestMain2',
      'exit status 3',
      'FAIL\texample.com/a\t0.003s',
      '=== RUN   TestMain2',
      '--- PASS: TestMain2 (0.00s)',
      'ok  \texample.com/b\t0.003s',
    ])
    expect(shown.split('\n')).toContain('=== RUN   TestMain2')
  })

  test('OUT-05 is shown above its output if it failed', () => {
    const lines = ['=== RUN   TestA', 'left the lamp on', '--- FAIL: TestA (0.00s)', 'FAIL']
    expect(shownOf('go test -v', lines)).toBe(lines.join('\n'))
  })
})

describe('the current work of a command', () => {
  const many = (line: (at: number) => string) => Array.from({ length: 40 }, (_, at) => line(at))
  const cut: readonly (readonly [string, readonly string[]])[] = [
    [
      'terraform apply',
      many((at) => `aws_instance.web: Still creating... [id=i-${at}, ${at}0s elapsed]`),
    ],
    ['make', many((at) => `gcc -O2 -c f${at}.c -o f${at}.o`)],
    ['./gradlew test', many((at) => `> Task :step${at}`)],
    ['npm install', many((at) => `npm http fetch GET 200 https://registry.example/p${at} 4ms`)],
    ['pip install x', many((at) => `Collecting p${at}`)],
    ['docker build .', many((at) => `#${at} sha256:${at} 1MB / 2MB`)],
    ['cargo build', many((at) => `   Compiling c${at} v1.0.0`)],
    ['cargo nextest run', many((at) => `       START [         ] orders tests::t${at}`)],
    ['go test -v ./...', many((at) => `go: downloading example.com/m${at} v1.0.0`)],
    ['pytest -v', many((at) => `test_a.py::test_${at} PASSED [ ${at}%]`)],
    ['brew install x', many((at) => `==> Fetching p${at}`)],
    ['docker compose up -d', many((at) => ` Container c${at}  Starting`)],
    ['npx vitest run', many((at) => ` ✓ a.test.ts > t${at} 2ms`)],
  ]

  test.each(cut)('OUT-05 is shown by the last line if %s failed', (command, lines) => {
    for (const blank of [[], ['', '  ', '']]) {
      for (const exitCode of [1, 2]) {
        const shown = shownOf(command, [...lines, ...blank], exitCode)
        expect(shown).toContain(lines.at(-1))
        expect(shown).not.toContain(lines[20])
      }
      const piped = shownOf(`${command} | tee log`, [...lines, ...blank], 0)
      expect(piped).toContain(lines.at(-1))
    }
  })

  test.each(cut)('OUT-05 is shown by the last dozen lines if %s was ended', (command, lines) => {
    for (const exitCode of [null, 124, 130, 137, 143]) {
      const shown = shownOf(command, lines, exitCode).split('\n')
      expect(shown).toEqual(expect.arrayContaining(lines.slice(-12)))
      expect(shown).not.toContain(lines[20])
    }
    expect(shownOf(command, lines, 0)).not.toContain(lines.at(-3))
  })
})

describe('the failing step', () => {
  test('OUT-05 pip: the package whose metadata could not be generated is shown', () => {
    const shown = shownOf('pip install -r r.txt', [
      'Collecting requests',
      '  Downloading requests-2.0-py3-none-any.whl (64 kB)',
      'Collecting oldthing==1.2 (from -r r.txt (line 2))',
      '  Downloading oldthing-1.2.tar.gz (12 kB)',
      '  Installing build dependencies: started',
      "  Installing build dependencies: finished with status 'done'",
      '  Getting requirements to build wheel: started',
      "  Getting requirements to build wheel: finished with status 'done'",
      '  Preparing metadata (pyproject.toml): started',
      "  Preparing metadata (pyproject.toml): finished with status 'error'",
      '  error: subprocess-exited-with-error',
      '  × Preparing metadata (pyproject.toml) did not run successfully.',
      'error: metadata-generation-failed',
    ])
    expect(shown).toContain('Collecting oldthing==1.2')
    expect(shown).not.toContain('requests')
  })

  test('OUT-05 image build: the step is shown for each failing line', () => {
    const shown = shownOf('docker build --progress plain .', [
      '#7 [2/3] RUN pip install -r r.txt',
      '#7 1.20 Collecting requests',
      '#7 1.90 Collecting oldthing==1.2',
      '#7 2.10   Downloading oldthing-1.2.tar.gz (12 kB)',
      '#7 2.90   error: subprocess-exited-with-error',
      '#7 ERROR: process "/bin/sh -c pip install -r r.txt" did not complete successfully: exit code: 1',
    ])
    expect(shown).toContain('Collecting oldthing==1.2')
    expect(shown).not.toContain('Collecting requests')
  })

  test("OUT-04 steps of an operator's rule are recognised", () => {
    const strategy = { type: 'strip_noise', patterns: ['^\\.+$'], steps: ['^step '] } as const
    const lines = [
      'step 1',
      '...',
      'step 2',
      '..',
      '.',
      '',
      '',
      'error: no',
      ...Array(20).fill('x'),
    ]
    expect(applyOne(strategy, lines.join('\n'), 1).text).toContain('step 2\n')
    expect(applyOne(strategy, lines.join('\n'), 1).text).not.toContain('step 1')
    const fine = lines.filter((line) => !line.startsWith('error'))
    expect(applyOne(strategy, fine.join('\n'), 0).text).not.toContain('step')
  })
})

describe('lines that only look like progress', () => {
  const end = ['made 1', 'made 2', 'error: it broke', '', 'end']

  test('OUT-05 output of a program that cargo runs is kept', () => {
    const own = [
      '  Checking schema: version 3, wanted 4',
      '  Updating users: table is held by admin',
      '  Downloading the list',
    ]
    const lines = ['   Compiling app v0.1.0 (/app)', ...own, ...Array(20).fill('x'), ...end]
    const shown = shownOf('cargo run', lines)
    for (const line of own) expect(shown).toContain(line)
    expect(shown).not.toContain('Compiling')
  })

  test.each([
    '#7 0.5 Downloading https://repo.example/a.jar: 403 Forbidden',
    '#7 0.5 Downloading https://repo.example/a.jar -> 502',
    '#7 0.5 Downloading https://repo.example/a.jar: HTTP 404',
    '#7 0.5 Collecting artefacts: 401 Unauthorized',
    '#7 0.5 Collecting artefacts: 429 Too Many Requests',
  ])('OUT-05 a refusing answer of a server is kept: %s', (line) => {
    const progress = ['#7 0.4 Downloading a.whl (456 kB)', ...Array(20).fill('#7 DONE 0.3s')]
    const shown = shownOf('docker build .', [line, '#7 DONE 0.3s', ...progress, ...end])
    expect(shown).toContain(line)
    expect(shown).not.toContain('456 kB')
  })
})

describe('text in a message that looks like a passed test', () => {
  const passed = Array.from({ length: 20 }, (_, at) => `  ✓ works ${at} (1 ms)`)

  test('OUT-05 jest: compared lines are kept, passed tests after them are dropped', () => {
    const message = [
      '  ● prints › shows',
      '',
      '    expect(received).toBe(expected)',
      '',
      '    - Expected  - 1',
      '    + Received  + 1',
      '',
      '      ✓ compiled',
      '    - two',
      '    + three',
      '      ○ signed',
      '',
      '      at Object.toBe (a.test.js:3:5)',
      '',
    ]
    const text = ['FAIL a.test.js', ...passed, '', ...message, 'PASS b.test.js', ...passed, '']
    const shown = shownOf('npx jest', [...text, 'Tests:       1 failed, 40 passed, 41 total'])
    expect(shown).toContain(message.join('\n'))
    expect(shown).not.toContain('works')
  })

  test('OUT-05 vitest: compared lines are kept', () => {
    const message = [
      '⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯',
      '',
      ' FAIL  a.test.ts > prints > shows',
      "AssertionError: expected 'a' to be 'b'",
      '',
      '- Expected',
      '+ Received',
      '',
      '  ✓ compiled',
      '- two',
      '+ three',
      '  ○ signed',
      '',
      ' ❯ a.test.ts:5:3',
    ]
    const shown = shownOf('npx vitest run', [...passed, '', ...message])
    expect(shown).toContain(message.join('\n'))
    expect(shown).not.toContain('works')
    expect(shownOf('npx vitest run | tail', message.slice(5), 0)).toContain('✓ compiled')
  })

  test('OUT-05 testify: compared lines are kept, passed tests after them are dropped', () => {
    const message = [
      '    a_test.go:12: ',
      '        \tError Trace:\t/orders/a_test.go:12',
      '        \tError:      \tNot equal: ',
      '        \t            \tDiff:',
      '        \t            \t--- Expected',
      '        \t            \t+++ Actual',
      '        \t            \t ✓ b',
      '        \tTest:       \tTestX',
    ]
    const lines = [
      '=== RUN   TestX',
      ...message,
      '--- FAIL: TestX (0.00s)',
      '    --- PASS: TestX/sub (0.00s)',
    ]
    const shown = shownOf('go test -v', [...lines, 'FAIL', 'FAIL\texample.com/x\t0.1s'])
    expect(shown).toContain(message.join('\n'))
    expect(shown).not.toContain('TestX/sub')
  })

  test('OUT-05 Rust: output of the failed test is kept', () => {
    const printed = ['---- b stdout ----', 'test inner::one ... ok', '✓ two', 'it broke', '']
    const shown = shownOf('cargo test', [
      'running 2 tests',
      'test a ... ok',
      'test b ... FAILED',
      '',
      'failures:',
      '',
      ...printed,
      'failures:',
      '    b',
      '',
      'test result: FAILED. 1 passed; 1 failed',
    ])
    expect(shown).toContain(printed.join('\n'))
    expect(shown).not.toContain('test a ')
  })

  test('OUT-05 pytest: output of the failed test is kept', () => {
    const printed = ['----- Captured stdout call -----', 'test_in.py::test_x PASSED [ 50%]']
    const heading = ['test_a.py::test_y PASSED [ 10%]', '====== FAILURES ======', '__ test_b __']
    const shown = shownOf('pytest -v', [...heading, ...printed, '=== 1 failed in 0.1s ==='])
    expect(shown).toContain(printed.join('\n'))
    expect(shown).not.toContain('test_y')
  })

  test("OUT-05 an operator's rule keeps the complete message", () => {
    const strategy = { type: 'keep_matching', patterns: ['^begin'] } as const
    const message = ['  ● a', '', '    - Expected', '      ✓ compiled', '      plain words']
    const lines = ['begin', ...message, '', 'x', ...Array(20).fill('y')]
    expect(applyOne(strategy, lines.join('\n'), 1).text).toContain(message.join('\n'))
  })
})

describe('compile errors that are lints', () => {
  const error = [
    'error: this arithmetic operation will overflow',
    ' --> src/main.rs:3:13',
    '  |',
    '3 |     let x = 255_u8 + 1;',
    '  |             ^^^^^^^^^^ attempt to compute `u8::MAX + 1_u8`, which would overflow',
    '  |',
    '  = note: `#[deny(arithmetic_overflow)]` on by default',
    '',
    'error: could not compile `app` (bin "app") due to 1 previous error',
  ]

  test("OUT-05 keep the compiler's explanation below the code", () => {
    const shown = shownOf('cargo clippy', error, 101)
    expect(shown).toContain('attempt to compute `u8::MAX + 1_u8`, which would overflow')
    expect(shown).toContain('lint arithmetic_overflow, 1 place')
    expect(shown).not.toContain('deny(')
  })
})

test('OUT-02 lints are found after hundreds of thousands of lines', () => {
  const lint = ['warning: it', ' --> src/a.rs:1:2', '  = note: `#[warn(unused)]` on by default', '']
  const text = [...Array(300_000).fill('x'), ...lint].join('\n')
  expect(applyBuiltIn('cargo clippy', text)?.confidence).toBe('full')
})

describe('successful output that reports a failure', () => {
  test('OUT-05 lines of level ERROR with different ids are not merged', () => {
    const id = (at: number) => `0b1c2d3e-0000-4000-8000-00000000000${at}`
    const errors = [1, 2, 3].map(
      (at) => `2026-01-01 10:00:0${at} ERROR order ${id(at)} was not kept`,
    )
    const infos = [1, 2, 3].map((at) => `2026-01-01 10:00:0${at} INFO order ${id(at)} was kept`)
    const shown = shownOf('tail -100 app.log', [...infos, ...errors], 0)
    expect(shown).toBe([`${infos[0]} [×3]`, ...errors].join('\n'))
  })

  test('OUT-05 ls -laR keeps unreadable entries, and the directory above each line after an omission', () => {
    const files = (name: string, count: number) => [
      `./${name}:`,
      'total 8',
      ...Array.from(
        { length: count },
        (_, at) => `-rw-r--r-- 1 a a 12 Jan  1 10:00 ${name}${at}.ts`,
      ),
      '',
    ]
    const gone = 'd????????? ? ?    ?       ?            ? gone'
    const lines = [...files('a', 150), ...files('b', 40), './c:', gone, '', ...files('d', 60)]
    const shown = shownOf('ls -laR', lines, 0).split('\n')
    expect(shown[shown.indexOf(gone) - 1]).toBe('./c:')
    expect(shown).toContain('./d:')
    expect(shown).not.toContain('./b:')
    expect(shown.length).toBeLessThan(140)
  })

  test('OUT-04 git status keeps deletions unchanged', () => {
    const lines = [
      'On branch main',
      'Changes to be committed:',
      '\tdeleted:    a.txt',
      '',
      'Changes not staged for commit:',
      '  (use "git add/rm <file>..." to update what will be committed)',
      '\tdeleted:    broken error.txt',
    ]
    expect(shownOf('git status', lines, 0)).toBe(
      'On branch main\nStaged:\n  deleted:    a.txt\nUnstaged:\n  deleted:    broken error.txt',
    )
  })

  test('OUT-05 pip: the packages being built or installed at the failure are shown', () => {
    const building = [
      'Collecting fine',
      '  Downloading fine-1.tar.gz (1 kB)',
      'Building wheels for collected packages: fine, oldthing',
    ]
    const installing = 'Installing collected packages: fine, oldthing'
    const broken =
      'ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device'
    for (const exitCode of [0, 1]) {
      expect(
        shownOf(
          'pip install -r r.txt',
          [...building, '  error: subprocess-exited-with-error', ...Array(20).fill('x')],
          exitCode,
        ),
      ).toContain(building[2])
      expect(
        shownOf(
          'pip install -r r.txt',
          [...building, installing, broken, ...Array(20).fill('x')],
          exitCode,
        ),
      ).toContain(installing)
      expect(
        shownOf('pip install fine', [...building, installing, ...Array(20).fill('x')], 0),
      ).not.toContain('collected')
    }
  })
})

test('OUT-04 an untracked file with a name in parentheses is not taken for a hint', () => {
  const lines = ['On branch main', 'Untracked files:', '  (use "git add <file>...")', '\t(draft)']
  const shown = shownOf('git status', lines, 0)
  expect(shown).toBe('On branch main\nUntracked:\n  (draft)')
})

test.each([
  'web-1   0/1   Running             0   3d',
  'web-1   1/2   Running             0   3d',
  'web-1   0/1   InvalidImageName    0   3d',
  'web-1   0/1   ContainerCreating   0   3d',
  'web-1   0/1   Init:0/1            0   3d',
  'web     2/3   3     2             3d',
])('OUT-05 an entry that is not ready is kept among many that are: %s', (line) => {
  const fine = Array.from({ length: 300 }, (_, at) => `api-${at}   1/1   Running   0   3d`)
  const done = 'job-1   0/1   Completed   0   3d'
  const shown = shownOf('kubectl get pods', [...fine.slice(0, 150), line, done, ...fine], 0)
  expect(shown).toContain(line)
  expect(shown).not.toContain(done)
})

test('OUT-05 a command with a negated exit code does not count as successful', () => {
  const text = samples.find(({ name }) => name === 'clippy-denied')?.text ?? ''
  const lines = [...text.split('\n'), 'ls: cannot access x', ...Array(400).fill('file')]
  expect(applyBuiltIn('! ls', lines.join('\n'), 0)?.text).toContain('ls: cannot access x')
})
