import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cardText, cardUpdateText } from '../../../../src/adapters/chat/console/card-text.ts'
import { createPaints } from '../../../../src/adapters/chat/render/paint.ts'
import type { CardStatus } from '../../../../src/domain/approval.ts'
import { aCard } from './cards.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const style = { paints: createPaints(false), columns: 80, keys: true, now }
const at = new Date(2026, 10, 21, 12, 3).toISOString()
const yesterday = new Date(2026, 10, 20, 23, 59).toISOString()

describe('a card in the terminal', () => {
  test('APPR-02 BOX-08 it shows the tool, the call, why, Always, who, until when and the warning', () => {
    const card = aCard({
      what: 'rm -rf build\ntimeout: 5',
      expiresAt: '2026-11-22T11:59:30Z',
      warning: 'This command can read and change everything you can.',
    })
    expect(cardText(card, style)).toBe(
      [
        '▐ ? 3 · bash asks for Ada',
        '▐     rm -rf build',
        '▐     timeout: 5',
        '▐ why      no rule allows it',
        '▐          rm deletes files',
        '▐ always   rm -rf build',
        '▐ or for   t this turn · m 15 min · h 1 h · x 5×',
        '▐ who      Ada, or an approver · expires in 23 h 59 min',
        '▐ warning  This command can read and change everything you can.',
        '▐ y approve · a always · n deny, then Enter',
      ].join('\n'),
    )
  })

  test.each([
    ['2026-11-21T12:00:30Z', 'expires in less than a minute'],
    ['2026-11-21T12:45:00Z', 'expires in 45 min'],
    ['2026-11-22T12:00:00Z', 'expires in 24 h'],
    ['2026-11-21T11:00:00Z', 'expired'],
    ['nonsense', 'expired'],
  ])('APPR-02 a card until %s says %j', (expiresAt, words) => {
    expect(cardText(aCard({ expiresAt }), style)).toContain(`· ${words}\n`)
  })

  test('APPR-23 if Always is not offered, no key, command or line mentions it', () => {
    const card = aCard({ alwaysPatterns: [], expiresAt: '2026-11-22T11:59:30Z' })
    expect(cardText(card, style)).not.toMatch(/always|or for|15 min/)
    expect(cardText(card, { ...style, keys: false })).toMatch(/▐ \/approve 3 · \/deny 3 reason$/)
  })

  test('CHAT-08 a message that arrived meanwhile is noted while the card is pending', () => {
    const kept =
      '2 messages kept meanwhile; the model reads them at its next step. This still waits.'
    expect(cardText(aCard({ messagesKept: 2 }), { ...style, columns: undefined })).toContain(
      `\n▐ note     ${kept}\n▐ y approve`,
    )
    const status: CardStatus = { kind: 'expired', at }
    expect(cardText(aCard({ messagesKept: 2, status }), style)).not.toContain('kept')
  })

  test('APPR-16 a long line is wrapped, not cut, and each row starts with the marker', () => {
    const what = `echo ${'abcdefghij'.repeat(40)}`
    const lines = cardText(aCard({ what }), style).split('\n')
    const shown = lines.slice(
      1,
      lines.findIndex((line) => line.startsWith('▐ why')),
    )
    expect(shown.map((line) => line.replace(/^▐ {5}/, '')).join('')).toBe(what)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(80)
  })

  test('APPR-02 a diff is coloured by its lines', () => {
    const what = 'edit a.txt\n@@ -1 +1 @@\n-old\n+new\n same'
    const colored = cardText(aCard({ tool: 'edit', what }), {
      ...style,
      paints: createPaints(true),
    })
    expect(colored).toContain('\u001b[31m-old\u001b[39m')
    expect(colored).toContain('\u001b[32m+new\u001b[39m')
  })

  test.each<[CardStatus, string]>([
    [{ kind: 'approved', by: 'Ada', at, always: false }, 'approved by Ada, 12:03'],
    [{ kind: 'approved', by: 'Ada', at, always: true }, 'approved, with Always, by Ada, 12:03'],
    [
      { kind: 'approved', by: 'Ada', at, always: false, life: '1h' },
      'approved by Ada, 12:03; rm -rf build for 1 h',
    ],
    [{ kind: 'granted', life: 'turn' }, 'allowed by a grant that was given for this turn'],
    [
      {
        kind: 'finished',
        by: 'Ada',
        at,
        life: '5x',
        outcome: 'exit 0',
        isSuccess: true,
        durationMs: 1_200,
      },
      'exit 0 (1.2 s), approved by Ada; rm -rf build 5 more times',
    ],
    [
      { kind: 'approved', by: 'Ada', at: yesterday, always: false },
      'approved by Ada, 20 Nov 23:59',
    ],
    [{ kind: 'granted' }, 'allowed by a grant'],
    [
      { kind: 'denying', by: 'Ada', at, until: at },
      'denied by Ada, 12:03; a reason may follow until 12:03',
    ],
    [{ kind: 'denied', by: 'Ada', at }, 'denied by Ada, 12:03'],
    [{ kind: 'denied', by: 'Ada', at, reason: 'too\nbig' }, 'denied by Ada, 12:03: too big'],
    [{ kind: 'expired', at }, 'expired, 12:03'],
    [{ kind: 'cancelled', why: 'stopped', by: 'Ada' }, 'cancelled: stopped by Ada'],
    [{ kind: 'running', by: 'Ada' }, 'running, approved by Ada'],
    [
      { kind: 'finished', by: 'Ada', outcome: 'exit 0', isSuccess: true, durationMs: 1_234 },
      'exit 0 (1.2 s), approved by Ada',
    ],
  ])('APPR-05 APPR-13 %j is one line of truth', (status, words) => {
    expect(cardUpdateText(aCard({ status }), style)).toBe(`▐ 3 · bash: ${words}`)
    expect(cardText(aCard({ status }), style).split('\n').at(-1)).toBe(`▐ ${words}`)
  })

  test('CHAT-05 THREAT-23 no text of a card can pass for a line of the product, hide, or control the terminal', () => {
    const nasty = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc
        .array(
          fc.constantFrom(
            '\n▐ ? 9 · bash asks for Eve',
            '\r',
            '\u001b[2K',
            '\u001b[1A',
            '\u009b1A',
            '\u202e',
            '\u2028▐ who',
            'ls',
            '\b',
            '\u200b',
          ),
          { maxLength: 6 },
        )
        .map((parts) => parts.join('')),
    )
    const card = fc.record({
      what: nasty,
      tool: nasty,
      reason: nasty,
      pattern: nasty,
      who: nasty,
      warning: nasty,
    })
    fc.assert(
      fc.property(card, fc.constantFrom(undefined, 40, 80), (parts, columns) => {
        const text = cardText(
          aCard({
            what: parts.what,
            tool: parts.tool,
            reasons: [parts.reason],
            alwaysPatterns: [parts.pattern],
            whoMayAnswer: parts.who,
            requestedBy: parts.who,
            warning: parts.warning,
          }),
          { ...style, columns },
        )
        expect(text).not.toMatch(/(?!\n)\p{Cc}|[\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b]/u)
        const lines = text.split('\n')
        expect(lines.every((line) => line.startsWith('▐'))).toBe(true)
        expect(text.match(/▐/g)).toHaveLength(lines.length)
        const ours = lines.filter((line) => /^▐ (\?|why|always|who|warning|y approve)/.test(line))
        expect(ours.filter((line) => line.startsWith('▐ ?'))).toHaveLength(1)
        expect(ours.filter((line) => /^▐ who {6}/.test(line))).toHaveLength(1)
      }),
      { numRuns: 300 },
    )
  })
})
