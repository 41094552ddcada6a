import { describe, expect, test } from 'vitest'
import { applyBuiltIn } from './apply.ts'
import { samples } from './samples.ts'

/** What is left of a sample, under its own command or another. */
function shownOf(name: string, other?: string): readonly string[] {
  const sample = samples.find((each) => each.name === name)
  if (sample === undefined) throw new Error(`no sample ${name}`)
  const { command, text, exitCode } = sample
  return applyBuiltIn(other ?? command, text, exitCode)?.text.split('\n') ?? []
}

const among = (lines: readonly string[], pattern: RegExp) =>
  lines.filter((line) => pattern.test(line))

describe('a build of an image', () => {
  test('OUT-04 on a terminal: of the frames that it draws again and again only the step that failed stays', () => {
    const shown = shownOf('docker-buildkit-terminal-fail')
    expect(among(shown, /^\[\+\] Building/)).toEqual([])
    expect(among(shown, /^ => /)).toEqual([
      expect.stringMatching(/^ => ERROR \[build 4\/4\] RUN make -j2 /),
    ])
  })

  test('OUT-04 line by line: what was copied and compiled goes, the compiler’s words stay', () => {
    const shown = shownOf('docker-buildkit-make-fail')
    expect(among(shown, /-c src\/auth\.c|CACHED|DONE|\[internal\]/)).toEqual([])
    expect(among(shown, /^#\d+ .*\] (?:FROM|WORKDIR) /)).toEqual([])
    expect(among(shown, /warning: control reaches end/)).toHaveLength(2)
  })

  test('OUT-04 by the builder before BuildKit: layers go where it failed too', () => {
    expect(among(shownOf('docker-legacy-make-fail'), /^ ---> /)).toEqual([])
  })

  test('OUT-04 that packages are installed in is shown without them', () => {
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
  ])('OUT-02 is known by %s', (command) => {
    const shown = shownOf('docker-compose-build-fail', command)
    expect(among(shown, /\[shop internal\]|Building dependency tree\.\.\.$/)).toEqual([
      '28.28 Building dependency tree...',
    ])
  })
})

describe('compose', () => {
  test('OUT-04 of each container that was started or removed the result is shown', () => {
    expect(shownOf('docker-compose-up')).toEqual([
      ' Container comp-web-1  Started',
      ' Container comp-db-1  Started',
      '',
    ])
    expect(shownOf('docker-compose-down')).not.toContain(' Container comp-db-1  Stopped')
  })

  test('OUT-05 of a service that fails all that it said stays', () => {
    const shown = shownOf('docker-compose-attached-fail')
    expect(among(shown, /^migrate-1/)).toHaveLength(3)
  })
})

test('OUT-04 where noise stood between blank lines, one of them stays', () => {
  for (const { command, text, exitCode } of samples) {
    const filtered = applyBuiltIn(command, text, exitCode)
    expect([command, filtered?.text.includes('\n\n\n')]).toEqual([command, false])
  }
})

describe('tests', () => {
  test('OUT-04 playwright: tests that it names as it goes are no news, those that failed are', () => {
    const shown = shownOf('playwright-line-fail')
    expect(among(shown, /^\[\d+\/\d+\]/)).toEqual([])
    expect(among(shown, /^ {2}\d\) \[chromium\] › /)).toHaveLength(2)
  })

  test('OUT-04 TAP: what is ok goes', () => {
    const shown = shownOf('vitest-tap-fail')
    expect(among(shown, /^\s*ok \d/)).toEqual([])
    expect(among(shown, /^\s*not ok \d/)).toHaveLength(6)
  })

  test('OUT-04 gradle: tasks that went well go, the one that failed stays', () => {
    const shown = shownOf('gradle-fail')
    expect(among(shown, /^:/)).toEqual([':test FAILED'])
    expect(among(shown, / FAILED$/)).toHaveLength(4)
  })
})
