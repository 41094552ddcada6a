import { describe, expect, test } from 'vitest'
import { applyBuiltIn } from './apply.ts'
import { samples } from './samples.ts'

/** Filters a sample, under its own command or another. */
function shownOf(name: string, other?: string): readonly string[] {
  const sample = samples.find((each) => each.name === name)
  if (sample === undefined) throw new Error(`no sample ${name}`)
  const { command, text, exitCode } = sample
  return applyBuiltIn(other ?? command, text, exitCode)?.text.split('\n') ?? []
}

const among = (lines: readonly string[], pattern: RegExp) =>
  lines.filter((line) => pattern.test(line))

describe('an image build', () => {
  test('OUT-04 on a terminal: of the repeated frames only the failing step is kept', () => {
    const shown = shownOf('docker-buildkit-terminal-fail')
    expect(among(shown, /^\[\+\] Building/)).toEqual([])
    expect(among(shown, /^ => /)).toEqual([
      expect.stringMatching(/^ => ERROR \[build 4\/4\] RUN make -j2 /),
    ])
  })

  test('OUT-04 line by line: copy and compile steps are dropped, compiler messages are kept', () => {
    const shown = shownOf('docker-buildkit-make-fail')
    expect(among(shown, /-c src\/auth\.c|CACHED|DONE|\[internal\]/)).toEqual([])
    expect(among(shown, /^#\d+ .*\] (?:FROM|WORKDIR) /)).toEqual([])
    expect(among(shown, /warning: control reaches end/)).toHaveLength(2)
  })

  test('OUT-04 legacy builder: layers are dropped, also on failure', () => {
    expect(among(shownOf('docker-legacy-make-fail'), /^ ---> /)).toEqual([])
  })

  test('OUT-04 package installation steps are dropped', () => {
    const shown = shownOf('docker-buildkit')
    expect(among(shown, /Unpacking|Get:|debconf|Need to get/)).toEqual([])
    expect(shown.length).toBeLessThan(40)
  })

  test.each([
    'docker-compose build',
    'docker-compose -f deploy/compose.yaml build web',
    'docker compose --project-name shop -f compose.yaml build --no-cache',
    'docker buildx build --load .',
    'docker --context far build .',
    'docker compose up -d --build',
    'docker-compose up',
  ])('OUT-02 is recognised in %s', (command) => {
    const shown = shownOf('docker-compose-build-fail', command)
    expect(among(shown, /\[shop internal\]|Building dependency tree\.\.\.$/)).toEqual([
      '28.28 Building dependency tree...',
    ])
  })
})

describe('compose', () => {
  test('OUT-04 shows the result for each container that was started or removed', () => {
    expect(shownOf('docker-compose-up')).toEqual([
      ' Container comp-web-1  Started',
      ' Container comp-db-1  Started',
      '',
    ])
    expect(shownOf('docker-compose-down')).not.toContain(' Container comp-db-1  Stopped')
  })

  test('OUT-05 keeps everything that a failing service printed', () => {
    const shown = shownOf('docker-compose-attached-fail')
    expect(among(shown, /^migrate-1/)).toHaveLength(3)
  })
})

test('OUT-04 blank lines around dropped noise collapse into one', () => {
  for (const { command, text, exitCode } of samples) {
    const filtered = applyBuiltIn(command, text, exitCode)
    expect([command, filtered?.text.includes('\n\n\n')]).toEqual([command, false])
  }
})

describe('tests', () => {
  test('OUT-04 playwright: progress lines are dropped, failed tests are kept', () => {
    const shown = shownOf('playwright-line-fail')
    expect(among(shown, /^\[\d+\/\d+\]/)).toEqual([])
    expect(among(shown, /^ {2}\d\) \[chromium\] › /)).toHaveLength(2)
  })

  test('OUT-04 TAP: ok lines are dropped', () => {
    const shown = shownOf('vitest-tap-fail')
    expect(among(shown, /^\s*ok \d/)).toEqual([])
    expect(among(shown, /^\s*not ok \d/)).toHaveLength(6)
  })

  test('OUT-04 gradle: successful tasks are dropped, the failed one is kept', () => {
    const shown = shownOf('gradle-fail')
    expect(among(shown, /^:/)).toEqual([':test FAILED'])
    expect(among(shown, / FAILED$/)).toHaveLength(4)
  })
})

test('OUT-05 make: the directory of an error is kept', () => {
  const shown = shownOf('make-directories-fail')
  const at = shown.findIndex((line) => line.includes('f14.c:1:10: fatal error'))
  const directories = among(shown.slice(0, at), / directory '/)
  expect(directories.at(-1)).toBe("make[1]: Entering directory '/home/dev/mk/app'")
  expect(among(shown, /mk\/lib'/)).toEqual([])
})

describe('pytest', () => {
  test('OUT-04 tests handed to workers are dropped', () => {
    const shown = shownOf('pytest-workers-fail')
    expect(among(shown, /::test_error_code/)).toEqual([])
    expect(among(shown, /^\[gw\d\].* (?:FAILED|ERROR) /)).toHaveLength(12)
  })

  test('OUT-05 without workers, the name of a test is kept as heading of its output', () => {
    const lines = ['tests/test_a.py::test_x ', 'counting', 'FAILED', '', '=== 1 failed in 0.1s ===']
    const shown = applyBuiltIn('pytest -v -s', lines.join('\n'), 1)?.text.split('\n')
    expect(shown).toContain('tests/test_a.py::test_x ')
  })
})

test('OUT-04 yarn: steps are dropped, the result is kept', () => {
  expect(shownOf('yarn-install')).toHaveLength(4)
})

test('OUT-05 clippy: the advice of an error is kept', () => {
  const text = [
    'error: approximate value of `f{32, 64}::consts::PI` found',
    '  --> src/lib.rs:31:26',
    '   |',
    '31 | pub fn approx() -> f64 { 3.14 * 2.0 }',
    '   |                          ^^^^',
    '   |',
    '   = help: consider using the constant directly',
    '   = help: for further information visit https://rust-lang.github.io/x/index.html#approx_constant',
    '   = note: `#[deny(clippy::approx_constant)]` on by default',
    '',
    'error: could not compile `orders` (lib) due to 1 previous error',
  ].join('\n')
  const shown = applyBuiltIn('cargo clippy', text, 101)?.text
  expect(shown).toContain('help: consider using the constant directly')
  expect(shown).not.toContain('further information')
})
