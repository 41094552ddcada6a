import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  splitUnopened,
  ThoughtSplitter,
} from '../../../../src/adapters/model/answer/split-thoughts.ts'

/** The split of a text that comes in these pieces. */
function split(pieces: readonly string[]) {
  const splitter = new ThoughtSplitter()
  const parts = [...pieces.map((piece) => splitter.push(piece)), splitter.end()]
  return {
    text: parts.map(({ text }) => text).join(''),
    thought: parts.map(({ thought }) => thought).join(''),
  }
}

describe('<think> in the text of a model', () => {
  test.each([
    ['<think>hm</think>\n\nYes.', 'Yes.', 'hm'],
    ['\n <think>\nhm\n</think>Yes.', 'Yes.', '\nhm\n'],
    ['<thinking>hm</thinking> Yes.', 'Yes.', 'hm'],
    ['<THINK>hm</Think>Yes.', 'Yes.', 'hm'],
    ['<think>a</think>\n<think>b</think>\nYes.', 'Yes.', 'ab'],
    ['<think>a < b </thin and so on', '', 'a < b </thin and so on'],
    ['<think>', '', ''],
    ['One.\n<think>two</think>\nThree.', 'One.\nThree.', 'two'],
    ['One.\n<think> is a tag.', 'One.\n<think> is a tag.', ''],
    ['The tag `<think>` and <think> too.', 'The tag `<think>` and <think> too.', ''],
    ['```\n<think>\n```\n<think>x</think>y', '```\n<think>\n```\ny', 'x'],
    ['~~~html\n<think>a</think>\n', '~~~html\n<think>a</think>\n', ''],
    ['    code\n', '    code\n', ''],
    ['<thin', '<thin', ''],
    ['', '', ''],
  ])('MODEL-08 %j is split', (whole, text, thought) => {
    expect(split([whole])).toEqual({ text, thought })
    expect(split([...whole])).toEqual({ text, thought })
  })

  test('MODEL-08 however a text is cut into pieces, it is split alike, and nothing is lost', () => {
    const bit = fc.constantFrom(
      '<think>',
      '</think>',
      '<thi',
      'nk>',
      '</th',
      '\n',
      ' ',
      'a',
      '```',
      '<',
    )
    fc.assert(
      fc.property(fc.array(bit, { maxLength: 20 }), fc.array(fc.nat(6)), (bits, cuts) => {
        const whole = bits.join('')
        const pieces: string[] = []
        let at = 0
        for (const cut of cuts) {
          pieces.push(whole.slice(at, at + cut))
          at += cut
        }
        const one = split([whole])
        expect(split([...pieces, whole.slice(at)])).toEqual(one)
        const letters = (text: string) => text.split('').filter((letter) => letter === 'a').length
        expect(letters(one.text) + letters(one.thought)).toBe(letters(whole))
      }),
    )
  })

  test('MODEL-08 a thought that the server’s template began ends at a line of its own', () => {
    expect(splitUnopened('hm\n</think>\n\nYes.')).toEqual({ thought: 'hm\n', text: 'Yes.' })
    for (const text of ['use </think> here', '```\n</think>\n```', 'none']) {
      expect(splitUnopened(text)).toEqual({ text, thought: '' })
    }
  })
})
