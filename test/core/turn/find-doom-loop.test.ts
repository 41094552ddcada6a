import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { describeLoop, findDoomLoop, type PastCall } from '../../../src/core/turn/find-doom-loop.ts'
import { english } from '../../../src/domain/messages/messages.ts'

/** A step a list; a call is `tool args result`. */
function steps(...batches: readonly (readonly string[])[]): PastCall[] {
  return batches.flatMap((batch, at) =>
    batch.map((text) => {
      const [tool = '', args = '', ...result] = text.split(' ')
      return {
        step: at + 1,
        tool,
        arguments: JSON.stringify({ args }),
        result: result.join(' '),
        isError: false,
      }
    }),
  )
}

function described(calls: Parameters<typeof findDoomLoop>[0]): string | undefined {
  const loop = findDoomLoop(calls)
  return loop === undefined ? undefined : describeLoop(english.turns, loop)
}

const sameCall = /^the same call of bash was made three times in a row$/
const samePair = /^the same calls of edit and bash alternated, three times each$/
const sameResults = /^the last three steps gave the same results$/

describe('a loop', () => {
  test('LOOP-11 three steps whose outputs are the same, whatever was called', () => {
    expect(described(steps(['bash a no'], ['bash b no'], ['read c no']))).toMatch(sameResults)
    const timed = steps(
      ['bash a 1 failed in 0.1s'],
      ['bash b 1 failed in 9s'],
      ['bash c 1 failed in 2s'],
    )
    expect(described(timed)).toMatch(sameResults)
    const wide = steps(['bash a x', 'bash b y'], ['bash c x', 'bash d y'], ['bash e x', 'bash f y'])
    expect(described(wide)).toMatch(sameResults)
  })

  test('LOOP-11 three times the same call in a row, whatever it gave', () => {
    expect(described(steps(['bash a 1'], ['bash a 2'], ['bash a 3']))).toMatch(sameCall)
    expect(described(steps(['read x 0'], ['bash a 1'], ['bash a 2'], ['bash a 3']))).toMatch(
      sameCall,
    )
  })

  test('LOOP-11 arguments are the same whatever their order and white space', () => {
    const calls = ['{"a":1,"b":[2]}', '{"b":[2],"a":1}', ' { "a" : 1, "b" : [ 2 ] } '].map(
      (args, at) => ({
        step: at + 1,
        tool: 'bash',
        arguments: args,
        result: `${at}`,
        isError: false,
      }),
    )
    expect(described(calls)).toMatch(sameCall)
    const broken = calls.map((call) => ({ ...call, arguments: '{"a":' }))
    expect(described(broken)).toMatch(sameCall)
  })

  test('LOOP-11 two calls by turns, three times each', () => {
    const pair = [
      ['edit a 1'],
      ['bash t 2'],
      ['edit a 3'],
      ['bash t 4'],
      ['edit a 5'],
      ['bash t 6'],
    ]
    expect(described(steps(...pair))).toMatch(samePair)
    expect(described(steps(...pair.slice(0, 5)))).toBeUndefined()
    expect(
      described(
        steps(['edit a 1', 'bash t 2'], ['edit a 3', 'bash t 4'], ['edit a 5', 'bash t 6']),
      ),
    ).toMatch(samePair)
  })
})

describe('no loop', () => {
  test('LOOP-11 fewer than three, or another call in between', () => {
    expect(described([])).toBeUndefined()
    expect(described(steps(['bash a x'], ['bash a x']))).toBeUndefined()
    expect(described(steps(['bash a 1'], ['bash a 2'], ['read b 3'], ['bash a 4']))).toBeUndefined()
  })

  test('LOOP-11 several identical calls of one message are one', () => {
    expect(described(steps(['bash a 1', 'bash a 2', 'bash a 3']))).toBeUndefined()
    expect(described(steps(['bash a 1', 'bash a 2'], ['bash a 3']))).toBeUndefined()
    expect(described(steps(['bash a 1', 'bash a 2'], ['bash a 3'], ['bash a 4']))).toMatch(sameCall)
  })

  test('LOOP-11 tests that run again after each another edit', () => {
    const work = steps(
      ['edit a 1'],
      ['bash t x'],
      ['edit b 2'],
      ['bash t x'],
      ['edit c 3'],
      ['bash t x'],
    )
    expect(described(work)).toBeUndefined()
  })

  test('LOOP-11 three commands that work in silence, and three searches that find nothing', () => {
    const silent = steps(['bash a (no output)'], ['bash b (no output)'], ['bash c (no output)'])
    expect(described(silent)).toBeUndefined()
    expect(described(silent.map((call) => ({ ...call, isError: true })))).toMatch(sameResults)
    expect(
      described(
        steps(['grep a (nothing found)'], ['grep b (nothing found)'], ['grep c (nothing found)']),
      ),
    ).toBeUndefined()
  })

  test.each(['[exit code 1]', '(the directory is empty)', '[no line of 500 matches]'])(
    'LOOP-11 three looks at other things that each give %s',
    (answer) => {
      const looks = steps([`bash a ${answer}`], [`bash b ${answer}`], [`bash c ${answer}`])
      expect(described(looks)).toBeUndefined()
    },
  )

  test('LOOP-11 a further call in the last step', () => {
    expect(described(steps(['bash a 1'], ['bash a 2'], ['bash a 3', 'read b 4']))).toBeUndefined()
  })

  test('LOOP-11 calls that are all different and give something different', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 8 }), (sizes) => {
        let at = 0
        const batches = sizes.map((size) =>
          Array.from({ length: size }, () => `bash c${++at} r${'x'.repeat(at)}`),
        )
        expect(described(steps(...batches))).toBeUndefined()
      }),
    )
  })
})
