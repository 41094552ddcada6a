import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  errorSentence,
  formatToolError,
  isQualityFailure,
  isRetryable,
  type ToolErrorCategory,
  toolErrorCategories,
} from '../../../src/domain/tool/tool-error.ts'
import { leastProcessorMs } from '../../support/processor-ms.ts'
import { anyCharacter } from '../../support/run/any-character.ts'

describe('tool errors', () => {
  test('ERR-01 there are eleven categories; the last four are retryable, the first three are quality failures', () => {
    expect(toolErrorCategories).toEqual([
      'tool_not_found',
      'invalid_parameters',
      'type_mismatch',
      'policy_blocked',
      'confirmation_required',
      'permanent_failure',
      'cancelled',
      'rate_limited',
      'server_error',
      'network_error',
      'timeout',
    ])
    expect(toolErrorCategories.filter(isRetryable)).toEqual(toolErrorCategories.slice(-4))
    expect(toolErrorCategories.filter(isQualityFailure)).toEqual(toolErrorCategories.slice(0, 3))
  })

  test('ERR-02 the block has five lines in a fixed order and the suggestions of the specification', () => {
    expect(formatToolError({ category: 'rate_limited', message: 'too many requests' })).toBe(
      '[tool_error]\ncategory: rate_limited\nerror: too many requests\nsuggestion: Rate limit exceeded. The system will retry if possible.\nretryable: true',
    )
    expect(
      formatToolError({ category: 'invalid_parameters', message: 'missing required field: url' }),
    ).toBe(
      '[tool_error]\ncategory: invalid_parameters\nerror: missing required field: url\nsuggestion: Review the tool schema and provide correct parameters.\nretryable: false',
    )
  })

  test('ERR-02 each category has one suggestion; for retryable ones it ends with the number of tries', () => {
    const suggestionOf = (category: ToolErrorCategory, more = {}) =>
      formatToolError({ category, message: 'x' }, more).split('\n')[3]
    expect(new Set(toolErrorCategories.map((category) => suggestionOf(category))).size).toBe(11)
    for (const category of toolErrorCategories) {
      const fixed = suggestionOf(category)
      expect(suggestionOf(category, { tries: 3 })).toBe(
        isRetryable(category) ? `${fixed} It was tried 3 times.` : fixed,
      )
    }
    expect(suggestionOf('timeout', { tries: 1 })).toMatch(/ It was tried once\.$/)
  })

  test('ERR-04 a hint is a sixth line and never more than one line', () => {
    const block = formatToolError(
      { category: 'type_mismatch', message: 'path: expected string, got number' },
      { hint: 'schema: {\n"a":1}' },
    )
    expect(block.split('\n')).toHaveLength(6)
    expect(block.split('\n')[5]).toBe('schema: { ⏎ "a":1}')
  })

  test('ERR-02 THREAT-20 a long message of white space is formatted in linear time', () => {
    const message = `a${' '.repeat(1_000_000)}b\nc`
    const format = () => formatToolError({ category: 'timeout', message })
    expect(leastProcessorMs(() => void format(), 500)).toBeLessThan(1_000)
  })

  test('ERR-02 people get the sentence of a block with the output below it, and any other text unchanged', () => {
    const block = formatToolError(
      { category: 'timeout', message: 'it took too long' },
      { hint: 'x: y' },
    )
    expect(errorSentence(block)).toBe('it took too long.')
    expect(errorSentence(`${block}\n\nsome\n\noutput`)).toBe('it took too long.\n\nsome\n\noutput')
    expect(errorSentence('[tool_error] is a word')).toBe('[tool_error] is a word')
  })

  test('ERR-02 an error can replace the suggestion of its category', () => {
    const error = { category: 'policy_blocked', message: 'm', suggestion: 'Ask for less.' } as const
    expect(formatToolError(error)).toContain('\nsuggestion: Ask for less.\n')
  })

  test('ERR-02 no message can add a line to the block', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...toolErrorCategories),
        fc.string({ unit: anyCharacter }),
        (category, message) => {
          const lines = formatToolError({ category, message: `${message}\nretryable: true` }).split(
            '\n',
          )
          expect(lines).toHaveLength(5)
          expect(lines[4]).toBe(`retryable: ${isRetryable(category)}`)
        },
      ),
    )
  })
})
