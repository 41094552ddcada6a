import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { commandNames } from '../../../../src/rules/output/filters/apply-filters.ts'
import { lastSegment } from '../../../../src/rules/output/filters/command-segment.ts'
import { processorMs } from '../../../support/processor-ms.ts'

describe('the command to which output is ascribed', () => {
  test.each([
    ['cd /x && cargo clippy -- -D warnings 2>&1 | tail -80', 'cargo clippy -- -D warnings'],
    ['cd /path && cargo test 2>&1 | tail -80', 'cargo test'],
    ['cargo test', 'cargo test'],
    ['make; echo done; make check', 'make check'],
    ['make check;', 'make check'],
    ['cd a\nmake -j4\n', 'make -j4'],
    ['git log --format="%h && %s; x | y" | head', 'git log --format="%h && %s; x | y"'],
    ["grep 'a && b' f > out.txt", "grep 'a && b' f"],
    ['npm ci >/dev/null 2>install.log', 'npm ci'],
    ['npm ci &> "my log" && npm test', 'npm test'],
    ['make 2>&1 >log -C sub', 'make -C sub'],
    ['(cd a && make all)', 'make all'],
    ['{ cd a; make all; }', 'make all'],
    ['if true; then make; fi', 'fi'],
    ['echo $(cd x && make; pwd) done', 'echo $(cd x && make; pwd) done'],
    ['make all # && rm -rf /', 'make all'],
    ['make \\\n  all', 'make \\\n all'],
    ['sleep 1 & pytest -q', 'pytest -q'],
    ['cat <<< "a;b"', 'cat'],
    ['', ''],
    ['&& ;; |', ''],
  ])('OUT-03 %j ends in the command %j', (line, command) => {
    expect(lastSegment(line).command).toBe(command)
  })

  test.each([
    ['cargo test', true],
    ['cd x && cargo test 2>&1', true],
    ['cargo test | tail', false],
    ['cargo test || true', false],
    ['cat x | grep y; cargo test', true],
    ['cargo test |& tee log', false],
    ['! make', false],
    ['cd x && ! (make)', false],
    ['(! make)', false],
    ['make !', true],
    ['cargo test &', false],
  ])("OUT-03 OUT-05 whether the exit code of %j is its last command's: %j", (line, owns) => {
    expect(lastSegment(line).ownsExitCode).toBe(owns)
  })

  test.each([
    ['cargo test', false],
    ['cargo test; ls', true],
    ['cargo test;', false],
    ['cargo test\nls', true],
    ['make & git status', true],
    ['make && ls', false],
    ['make && cd x; ls', true],
    ['make && ls && ls', false],
    ['make | tail && ls', true],
    ['make || true; ls', true],
    ['! make && ls', true],
    ['(make; true) && ls', true],
    ['cd x; export A=1; B=2; ls', false],
    ['cd x\ncargo test && ls', false],
    ['B=$(make); ls', true],
    ['export A=$(make); ls', true],
    ['echo "$(make 2>&1)"; ls', true],
    ['echo `make`; ls', true],
    ['echo y | make; ls', true],
    ['cd x || make; ls', true],
    ['source ./ci.sh; ls', true],
    ['. ./build.sh; ls', true],
    ['. .venv/bin/activate; ls', false],
    ['A=$HOME; ls', false],
    ['cdx; ls', true],
  ])('OUT-05 whether an earlier command of %j may have failed unnoticed: %j', (line, may) => {
    expect(lastSegment(line).mayFollowFailure).toBe(may)
  })

  test('OUT-03 prefixes and the directory of a program are ignored', () => {
    expect(commandNames('CI=1 FOO="a b" time make all')).toContain('make all')
    expect(commandNames('timeout -k 5 60s cargo test')).toContain('cargo test')
    expect(commandNames('./node_modules/.bin/vitest run')).toContain('vitest run')
    expect(commandNames('sudo -E make')).toEqual(['sudo -E make', '-E make'])
  })

  const piece = fc.constantFrom(...'ab&&;|><\'"`$()\\ \n#{}!2'.split(''), '&&', '||', '$(', '2>&1')

  test('OUT-03 any text is read in linear time, and a plain last command is found', () => {
    const line = fc.array(piece, { maxLength: 60 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(line, (text) => {
        expect(lastSegment(text).command.length).toBeLessThanOrEqual(text.length)
        expect(commandNames(text).length).toBeLessThan(4)
      }),
    )
    for (const part of [
      '(',
      '$(',
      "'",
      '"',
      '\\',
      '>',
      '|',
      'a=b ',
      'time ',
      '{ ',
      ' )',
      '&',
      '#',
    ]) {
      const text = part.repeat(200_000)
      expect(processorMs(() => commandNames(lastSegment(text).command))).toBeLessThan(1_500)
    }
    expect(lastSegment(`${'true && '.repeat(10_000)}make all`).command).toBe('make all')
  })
})
