import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  countWords,
  createWordIndex,
  wordsOf,
} from '../../../../src/rules/tools/shown/word-index.ts'
import { processorMs } from '../../../support/processor-ms.ts'
import { anyCharacter } from '../../../support/run/any-character.ts'

const indexOf = (some: readonly string[]) => createWordIndex(some.map(countWords))

const texts = [
  'jira_create_issue: Creates an issue in a project of Jira.',
  'jira_search_issues: Searches issues of Jira by a query.',
  'calendar_list_events: Lists the events of a day in a calendar.',
  'mail_send: Sends a mail to people.',
]

function best(query: string): string | undefined {
  const ranks = indexOf(texts).rank(query)
  const at = ranks.indexOf(Math.max(...ranks))
  return texts[at]?.split(':')[0]
}

describe('the words of a text', () => {
  test('SCH-02 names are read as words, however they are put together', () => {
    expect(wordsOf('readFiles read_file READ-FILE')).toEqual([
      'read',
      'file',
      'read',
      'file',
      'read',
      'file',
    ])
    expect(wordsOf('größe Ｆｕｌｌ 文件')).toEqual(['größe', 'full', '文件'])
    expect(wordsOf('class glass pass')).toEqual(['class', 'glass', 'pass'])
  })
})

describe('ranking by words', () => {
  test('SCH-02 the text with the rarest words of the query is first', () => {
    expect(best('please create an issue')).toBe('jira_create_issue')
    expect(best('which events are in my calendar?')).toBe('calendar_list_events')
    expect(best('send them a mail')).toBe('mail_send')
  })

  test('SCH-02 a query whose words nobody has, and none at all, rank nothing', () => {
    expect(indexOf(texts).rank('übersetze')).toEqual([0, 0, 0, 0])
    expect(indexOf(texts).rank('')).toEqual([0, 0, 0, 0])
    expect(indexOf([]).rank('mail')).toEqual([])
    expect(indexOf(['', '']).rank('mail')).toEqual([0, 0])
  })

  test('SCH-02 a word said twice, or in another order, ranks the same', () => {
    const index = indexOf(texts)
    expect(index.rank('mail mail issue')).toEqual(index.rank('issue mail'))
  })

  test('SCH-02 the scores of Okapi BM25, by hand', () => {
    // Two texts of two words: each word weighs ln 2, a single find counts 2.2 / (1 + 1.2).
    const [both, one] = indexOf(['red fox', 'red hen']).rank('fox')
    expect(both).toBeCloseTo(1 / 2.2, 10)
    expect(one).toBe(0)
    // A long text is held against: 1.2 · (0.25 + 0.75 · 3 / 2) is added to its count instead of 1.2 · (0.25 + 0.75 / 2).
    const [short, long] = indexOf(['fox', 'fox a b']).rank('fox')
    expect(short).toBeCloseTo(1 / (1 + 1.2 * 0.625), 10)
    expect(long).toBeCloseTo(1 / (1 + 1.2 * 1.375), 10)
  })

  test('SCH-02 whatever is asked of whatever texts, ranks are from 0 to 1, one a text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: anyCharacter }), { maxLength: 5 }),
        fc.string({ unit: anyCharacter }),
        (some, query) => {
          const ranks = indexOf(some).rank(query)
          expect(ranks).toHaveLength(some.length)
          for (const rank of ranks) expect(rank >= 0 && rank <= 1).toBe(true)
        },
      ),
    )
  })

  test('SCH-02 a long message takes no long time', () => {
    const message = `${'a'.repeat(200_000)} ${'Aa'.repeat(100_000)} ${'- '.repeat(100_000)}`
    expect(processorMs(() => indexOf(texts).rank(message))).toBeLessThan(2_000)
  })
})
