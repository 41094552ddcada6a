import fc from 'fast-check'
import { expect, test } from 'vitest'
import { requirement } from '../../../../support/run/requirements.ts'
import { globText, hereText } from './known-texts.ts'
import { record } from './recording-box.ts'
import { shellText } from './shell-texts.ts'
import { misreadings, silentOnes, surprises } from './silent-runs.ts'

const { bubblewrap } = requirement

test('SHELL-03 of the texts that are made up here, some are silent', () => {
  expect(silentOnes(fc.sample(shellText, 200)).length).toBeGreaterThan(10)
})

bubblewrap('SHELL-03 the box records what bash starts and writes', () => {
  const [first, second] = record(['ls "a b"; $(echo evil) x > out', 'rm a && git b || cat < a'])
  expect(first).toEqual({
    started: [
      ['ls', 'a b'],
      ['evil', 'x'],
    ],
    places: ['.', '.'],
    written: ['out'],
  })
  expect(second?.started).toEqual([['rm', 'a'], ['git', 'b'], ['cat']])
  const [moved] = record(['cd src/deep && ls; cd ../../..; ls ..'])
  expect(moved?.places).toEqual(['src/deep', '..'])
})

bubblewrap(
  'SHELL-03 SHELL-10 of texts by here-documents bash makes the words that the gate told',
  () => {
    const silent = silentOnes(fc.sample(hereText, 1_200))
    expect(silent.length).toBeGreaterThan(50)
    expect(surprises(silent)).toEqual([])
    expect(misreadings(silent.filter((text) => !text.includes('$x')))).toEqual([])
  },
)

bubblewrap(
  'SHELL-07 SHELL-10 wildcards stand for nothing that the gate did not reckon with',
  () => {
    const silent = silentOnes(fc.sample(globText, 800))
    expect(silent.length).toBeGreaterThan(50)
    expect(surprises(silent)).toEqual([])
  },
)

bubblewrap('SHELL-03 SHELL-10 bash runs and writes nothing but what the gate allowed', () => {
  fc.assert(
    fc.property(fc.array(shellText, { minLength: 800, maxLength: 800 }), (texts) => {
      expect(surprises(silentOnes(texts))).toEqual([])
    }),
    { numRuns: 1, endOnFailure: true, interruptAfterTimeLimit: 60_000 },
  )
})
