import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { builtInRules } from '../../../../src/rules/output/filters/compile-filters.ts'
import { applyBuiltIn, applyOne } from './apply.ts'
import { samples } from './samples.ts'

const failed = samples.filter(({ exitCode }) => exitCode !== 0)

/** Lines that any engineer would call a failure; written without reference to the implementation. */
const failureLine =
  /^(?:error(?:\[E\d+\])?: | *Error: |ERROR[: ]|FAILED |FAIL\s|fatal: |panic: |E {3}|make(?:\[\d+\])?: \*\*\* |npm (?:error|ERR!)|thread '.*' panicked|Traceback |\w+(?:Error|Exception): |--- FAIL)|: (?:fatal )?error: |: error TS\d+|\.\.\. FAILED$| (?:FAILED|ERROR) +\[| FAILED$|^Error (?:response from daemon|from server)|returned a non-zero code|can't open|cannot access| - error TS|^\s+\d+:\d+\s+error\s|^\s+(?:✕|×|✘|FAIL|TIMEOUT|SIGSEGV) |failed to solve: |didn't complete successfully|exited with code [1-9]|is unhealthy$|\bE: Unable to |^\s*not ok \d|connection refused| Error Get "/

const failuresOf = new Map(
  failed.map(({ text }) => [text, text.split('\n').filter((line) => failureLine.test(line))]),
)

const has = (text: string) => {
  const lines = new Set(text.split('\n').map((line) => line.trim()))
  return (line: string) => lines.has(line.trim())
}

describe('a failure', () => {
  test.each(samples.filter(({ keeps }) => keeps.length > 0))(
    'OUT-05 $name: names, messages and the summary are kept',
    ({ command, text, exitCode, keeps }) => {
      const shown = applyBuiltIn(command, text, exitCode)?.text ?? ''
      for (const kept of keeps) expect(shown).toContain(kept)
    },
  )

  test.each(failed)('OUT-05 $name: every error line is kept', (sample) => {
    const { command, text, exitCode } = sample
    const shown = has(applyBuiltIn(command, text, exitCode)?.text ?? '')
    const lines = failuresOf.get(text) ?? []
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.filter((line) => !shown(line))).toEqual([])
  })

  test.each(failed)('OUT-05 $name: error lines are kept behind a pipe that succeeds', (sample) => {
    const { command, text } = sample
    const shown = applyBuiltIn(`cd x && ${command} 2>&1 | tail -400`, text, 0)?.text ?? ''
    for (const kept of sample.keeps) expect(shown).toContain(kept)
  })

  test.each(failed)('OUT-05 $name: error lines are kept if the last command succeeds', (sample) => {
    const { text } = sample
    for (const last of samples.filter(({ exitCode }) => exitCode === 0)) {
      const command = `${sample.command}; ${last.command}`
      const whole = `${text}\n${'src/a-file.ts\n'.repeat(200)}${last.text}`
      const shown = has(applyBuiltIn(command, whole, 0)?.text ?? '')
      const lines = failuresOf.get(text) ?? []
      expect([command, lines.filter((line) => !shown(line))]).toEqual([command, []])
    }
  })

  test.each(failed)(
    "OUT-05 $name: error lines are kept in the output of any other rule's command",
    (sample) => {
      const { text, exitCode } = sample
      for (const { command } of samples) {
        const shown = has(applyBuiltIn(command, text, exitCode)?.text ?? '')
        const lines = failuresOf.get(text) ?? []
        expect([command, lines.filter((line) => !shown(line))]).toEqual([command, []])
      }
    },
  )
})

const failureLines: readonly string[] = [
  "thread 'main' panicked at src/lib.rs:3:5:",
  'error[E0277]: the trait bound is not satisfied',
  'error: linking with `cc` failed: exit status: 1',
  'test tests::parse ... FAILED',
  'FAILED tests/test_a.py::test_b - AssertionError: assert 1 == 2',
  'E       assert 1 == 2',
  'Traceback (most recent call last):',
  'ValueError: the warehouse is empty',
  '--- FAIL: TestIt (0.00s)',
  '    a_test.go:12: expected 1, got 2',
  'panic: runtime error: invalid memory address or nil pointer dereference',
  'WARNING: DATA RACE',
  'npm ERR! code ELIFECYCLE',
  'npm error Missing script: "build"',
  'make: *** [Makefile:4: all] Error 2',
  'make[2]: *** No rule to make target `x`.  Stop.',
  "/usr/bin/ld: a.o: undefined reference to `f'",
  'a.c:3:4: fatal error: x.h: No such file or directory',
  'Segmentation fault (core dumped)',
  'Killed',
  'src/a.ts(1,2): error TS2304: Cannot find name x',
  '  3:1  error  Unexpected token  no-odd',
  '● adds › rounds',
  '    Expected: 3',
  '    Received: 4',
  ' FAIL  a.test.ts > adds',
  'Error: Test timed out in 50ms.',
  'fatal: not a git repository (or any of the parent directories): .git',
  'ERROR: failed to solve: process "/bin/sh -c x" did not complete successfully: exit code: 1',
  'E: Unable to locate package nodejss',
  'Error: Invalid provider configuration',
  'Error from server (NotFound): pods "x" not found',
  'CONFLICT (content): Merge conflict in a.txt',
  'curl: (7) Failed to connect to localhost port 80: Connection refused',
  'bash: frobnicate: command not found',
  'java.lang.NullPointerException: no value',
  'ModuleNotFoundError: No module named x',
  'AssertionError [ERR_ASSERTION]: 1 == 2',
  'not ok 3 - adds',
  '     TIMEOUT [  60.010s] orders tests::waits',
  '    Checking the connection to the database: refused',
  '   Compiling orders failed: no space left',
  'PASS rate 3 of 10 is too low: failed',
]
const failures = fc.constantFrom(...failureLines)

const noise = fc.constantFrom(
  'test tests::error_handling ... ok',
  '   Compiling thiserror v2.0.1',
  'tests/test_a.py::test_error PASSED [ 10%]',
  '=== RUN   TestError',
  '--- PASS: TestError (0.00s)',
  '        PASS [   0.010s] (  1/150) myapp fails_safely',
  'npm warn deprecated request@2.88.2: request has been deprecated',
  'Collecting requests',
  '  Downloading requests-2.0-py3-none-any.whl (64 kB)',
  'gcc -O2 -Werror -c a.c -o a.o',
  "make[1]: Entering directory '/x'",
  '#7 DONE 0.3s',
  ' ---> 8f2b9c1d2e3f',
  'PASS src/a.test.js',
  '  ✓ reports errors (2 ms)',
  'aws_x.y: Refreshing state... [id=1]',
  '==> Downloading https://example.com/x',
  '2026-01-01T00:00:00Z INFO beat',
  'diff --git a/x b/x',
  '+added',
  '',
  'drwxr-xr-x 2 ada ada 4096 Jan  1 00:00 src',
)

const strategies = [
  { type: 'strip_noise', patterns: ['.'] },
  { type: 'truncate', max_lines: 1, head: 0, tail: 0 },
  { type: 'keep_matching', patterns: ['^PASS', 'DONE'] },
  { type: 'strip_annotated', prefixes: ['error', 'E ', 'FAILED', '-', 'npm', 'T'] },
  { type: 'test_summary' },
  { type: 'group_by_rule' },
  { type: 'git_status' },
  { type: 'dedup' },
] as const

describe('failures among successes', () => {
  const output = fc.array(
    fc.oneof({ weight: 6, arbitrary: noise }, { weight: 1, arbitrary: failures }),
    {
      minLength: 1,
      maxLength: 120,
    },
  )
  const exitCode = fc.constantFrom(1, 2, 101, 255, null)
  const isFailure = (line: string) => failureLines.includes(line)

  test.each(strategies)('OUT-05 $type keeps every failure with any options', (strategy) => {
    fc.assert(
      fc.property(output, exitCode, (lines, code) => {
        const shown = has(applyOne(strategy, lines.join('\n'), code).text)
        expect(lines.filter((line) => isFailure(line) && !shown(line))).toEqual([])
      }),
      { numRuns: 60 },
    )
  })

  const commands = [...new Set(samples.map(({ command }) => command))]
  test.each(commands.filter((command) => !/^git diff/.test(command)))(
    'OUT-05 the rule for %s keeps every failure',
    (command) => {
      fc.assert(
        fc.property(output, exitCode, (lines, code) => {
          const shown = has(applyBuiltIn(command, lines.join('\n'), code)?.text ?? '')
          expect(lines.filter((line) => isFailure(line) && !shown(line))).toEqual([])
        }),
        { numRuns: 40 },
      )
    },
  )

  /** Lines that report a failure regardless of the exit code. */
  const named = [
    ...failureLines.filter((line) => !/^ {4}a_test|^ {4}(?:Expected|Received)|^●/.test(line)),
    '2026-01-01T00:00:00Z ERROR order 0b1c2d3e-0000-4000-8000-000000000001 was not kept',
    '2026-01-01T00:00:01Z ERROR order 0b1c2d3e-0000-4000-8000-000000000002 was not kept',
    '2026-01-01T00:00:01Z FATAL order 0b1c2d3e-0000-4000-8000-000000000003 was not kept',
    'level=error msg="was not kept" id=7',
    '{"time":1767225600001,"severity":"CRITICAL","msg":"was not kept"}',
    '{"level":50,"time":1767225600002,"msg":"was not kept"}',
    'E0312 10:11:12.123456 1 server.go:12] was not kept',
    'exit status 1',
    "ls: cannot open directory './secret': Permission denied",
    'd????????? ? ?    ?       ?            ? gone',
    './x  [error opening dir]',
    '  error: subprocess-exited-with-error',
    'ERROR: Failed building wheel for oldthing',
    'npm warn tarball tarball data for x@1.0.0 seems to be corrupted. Trying again.',
    '#9 1.2 E: Package x has no installation candidate: no such package',
    'aws_x.y: Still creating... [error: quota]',
    'Warning  Failed  3s  kubelet  Error: ErrImagePull',
  ]
  const mixed = fc.array(
    fc.oneof({ weight: 6, arbitrary: noise }, { weight: 1, arbitrary: fc.constantFrom(...named) }),
    { minLength: 1, maxLength: 300 },
  )
  const lost = (lines: readonly string[], text: string) => {
    const shown = has(text)
    return lines.filter((line) => named.includes(line) && !shown(line))
  }

  test.each(strategies)(
    'OUT-05 $type keeps reported failures if the command succeeded',
    (strategy) => {
      fc.assert(
        fc.property(mixed, (lines) => {
          expect(lost(lines, applyOne(strategy, lines.join('\n'), 0).text)).toEqual([])
        }),
        { numRuns: 40 },
      )
    },
  )

  test('OUT-05 the built-in rules keep reported failures if the command succeeded', () => {
    fc.assert(
      fc.property(mixed, (lines) => {
        const text = lines.join('\n')
        for (const command of commands.filter((one) => !/^git diff/.test(one)))
          expect([command, ...lost(lines, applyBuiltIn(command, text, 0)?.text ?? text)]).toEqual([
            command,
          ])
      }),
      { numRuns: 30 },
    )
  })

  test('OUT-05 the message after a failure is kept, whatever its words are', () => {
    const message = fc.stringMatching(/^[a-z]{1,8}( [a-z]{1,8}){0,4}$/)
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 12 }), (words) => {
        const before = Array.from({ length: 60 }, (_, at) => `gcc -c f${at}.c`)
        const after = Array.from({ length: 60 }, (_, at) => `gcc -c g${at}.c`)
        const text = [...before, 'error: it broke', ...words, '', ...after].join('\n')
        for (const strategy of strategies) {
          const shown = has(applyOne(strategy, text, 1).text)
          expect(words.filter((line) => !shown(line))).toEqual([])
        }
      }),
      { numRuns: 50 },
    )
  })

  test('OUT-05 the last lines are kept', () => {
    const lines = Array.from({ length: 200 }, (_, at) => `step ${at}`)
    for (const strategy of strategies) {
      const shown = has(applyOne(strategy, lines.join('\n'), 1).text)
      expect(lines.slice(-10).filter((line) => !shown(line))).toEqual([])
    }
  })
})

describe('output of successful commands', () => {
  test('OUT-02 each built-in rule has a sample, and most samples become shorter', () => {
    const shorter = new Set<string>()
    const seen = new Set<string>()
    for (const { command, text, exitCode } of samples) {
      const filtered = applyBuiltIn(command, text, exitCode)
      for (const { name } of filtered?.rules ?? []) {
        seen.add(name)
        if ((filtered?.text.length ?? 0) < text.length * 0.8) shorter.add(name)
      }
    }
    expect([...seen].sort()).toEqual(builtInRules.map(({ name }) => name).sort())
    expect(shorter.size).toBeGreaterThanOrEqual(18)
  })

  const anyLine = fc.oneof(noise, failures, fc.string({ unit: 'grapheme', maxLength: 30 }))
  test('OUT-04 any text passes through any strategy, and new text appears in marks only', () => {
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 80 }), fc.constantFrom(0, 1), (lines, code) => {
        const text = lines.join('\n')
        const given = new Set(text.split('\n'))
        for (const strategy of strategies) {
          const { text: shown, linesBefore } = applyOne(strategy, text, code)
          expect(linesBefore).toBeLessThanOrEqual(text.split('\n').length)
          if (strategy.type === 'group_by_rule' || strategy.type === 'git_status') continue
          const made = shown.split('\n').filter((line) => !given.has(line))
          expect(
            made.filter((line) => !/^\[… |^\(nothing but noise\)$| \[×\d+\]$/.test(line)),
          ).toEqual([])
        }
      }),
      { numRuns: 150 },
    )
  })
})
