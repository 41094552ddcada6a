import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  cardText,
  cardUpdateText,
  choiceText,
  detailsText,
} from '../../../../src/adapters/chat/console/card-text.ts'
import { createPaints } from '../../../../src/adapters/chat/render/paint.ts'
import type { Card, CardStatus } from '../../../../src/domain/approval.ts'
import { effectKinds, effectPhrases } from '../../../../src/domain/effect.ts'
import { english } from '../../../../src/domain/messages/messages.ts'
import { anyCharacter } from '../../../support/run/any-character.ts'
import { withoutIsolates } from '../../../support/run/without-isolates.ts'
import { aCard, anOldCard } from './cards.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const style = { messages: english, paints: createPaints(false), columns: 80, keys: true, now }
const at = new Date(2026, 10, 21, 12, 3).toISOString()
const yesterday = new Date(2026, 10, 20, 23, 59).toISOString()

describe('a card in the terminal', () => {
  const card = aCard({
    does: 'run a command',
    where: 'shop-api',
    what: 'rm -rf build\ntimeout: 5',
    effects: [{ kind: 'deletes' }, { kind: 'reads_outside', of: '/etc/hosts' }],
    expiresAt: '2026-11-22T11:59:30Z',
    warning: 'This command can read and change everything you can.',
  })

  test('CARD-01 APPR-02 BOX-08 it says who wants what, the call, what it would do, and how to answer', () => {
    expect(cardText(card, style)).toBe(
      [
        "❯ Ada's agent wants to run a command in shop-api:",
        '❯     rm -rf build',
        '❯     timeout: 5',
        '❯ 🗑 deletes files',
        '❯ ⚠️ reads outside the workspace: /etc/hosts',
        '❯ ⚠️ This command can read and change everything you can.',
        '❯ y approve · n deny · ? details, then Enter',
      ].join('\n'),
    )
  })

  test('CARD-02 ? shows who may answer, until when, the number, why it asks and what Always would allow', () => {
    expect(detailsText(card, style)).toBe(
      [
        '❯ Who may answer: Ada, or an approver',
        '❯ Until: in 23 h 59 min',
        '❯ Approval: 3 · bash',
        '❯ Why it asks:',
        '❯   • no rule allows it',
        '❯   • rm deletes files',
        '❯ Always would allow: rm -rf build',
        '❯ For: Ada until /clear; for everybody if an approver taps it',
      ].join('\n'),
    )
  })

  test('CARD-03 the line of keys names a single pattern; several are shown before a key allows them', () => {
    const plain = aCard({ alwaysPatterns: ['git status'], effects: [] })
    expect(cardText(plain, style)).toContain('· a always: git status ·')
    const several = aCard({ alwaysPatterns: ['git log *', 'wc *'], effects: [] })
    expect(cardText(several, style)).toContain('· a always… ·')
    expect(choiceText(several, style)).toBe(
      [
        '❯ Always would allow:',
        '❯   • git log *',
        '❯   • wc *',
        '❯ For: Ada until /clear; for everybody if an approver taps it',
        '❯ a always · t this turn · m 15 min · h 1 h · x 5 times, then Enter',
      ].join('\n'),
    )
  })

  test('CARD-03 a single pattern is shown before a key allows it unless it is harmless', () => {
    const { isAlwaysHarmless: _, ...wide } = aCard({ alwaysPatterns: ['git push *'] })
    expect(cardText(wide, style)).toContain('· a always… ·')
    expect(cardText(anOldCard(), style)).not.toContain('always')
  })

  test.each<[string, Partial<Card>]>([
    ['of high risk', { risk: 'high' }],
    ['destructive', { effects: [{ kind: 'discards', of: 'git reset' }] }],
  ])('CARD-03 Always of a call that is %s stands in the details only', (_, changes) => {
    expect(cardText(aCard({ effects: [], ...changes }), style)).not.toContain('always')
  })

  test('CARD-02 each kind of effect is on the first view', () => {
    for (const kind of effectKinds) {
      const wide = { ...style, columns: undefined }
      const text = cardText(aCard({ effects: [{ kind, of: 'some/thing' }] }), wide)
      expect(text).toContain('some/thing')
      expect(cardText(aCard({ effects: [{ kind }] }), wide)).toContain(effectPhrases[kind].words)
    }
  })

  test.each([
    ['2026-11-21T12:00:30Z', 'in less than a minute'],
    ['2026-11-21T12:45:00Z', 'in 45 min'],
    ['2026-11-22T12:00:00Z', 'in 24 h'],
    ['2026-11-21T11:00:00Z', 'now'],
    ['nonsense', 'now'],
  ])('APPR-02 a card until %s says %j', (expiresAt, words) => {
    expect(detailsText(aCard({ expiresAt }), style)).toContain(`Until: ${words}\n`)
  })

  test('APPR-23 if Always is not offered, no key, command or line mentions it', () => {
    const card = aCard({ alwaysPatterns: [], expiresAt: '2026-11-22T11:59:30Z' })
    expect(cardText(card, style)).not.toMatch(/always|15 min/)
    expect(cardText(card, { ...style, keys: false })).toContain('\n❯ /approve 3 · /deny 3 reason\n')
  })

  test('CHAT-08 a message that arrived meanwhile is noted while the card is pending', () => {
    const kept =
      '2 messages kept meanwhile; the model reads them at its next step. This still waits.'
    expect(cardText(aCard({ messagesKept: 2 }), { ...style, columns: undefined })).toContain(
      `\n❯ 💬 ${kept}\n❯ y approve`,
    )
    const status: CardStatus = { kind: 'expired', at }
    expect(cardText(aCard({ messagesKept: 2, status }), style)).not.toContain('kept')
  })

  test('APPR-16 a long line is wrapped, not cut, and each row starts with the marker', () => {
    const what = `echo ${'abcdefghij'.repeat(40)}`
    const lines = cardText(aCard({ what }), style).split('\n')
    const shown = lines.slice(
      1,
      lines.findIndex((line) => line.startsWith('❯ ⚠️')),
    )
    expect(shown.map((line) => line.replace(/^❯ {5}/, '')).join('')).toBe(what)
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
    [{ kind: 'approved', by: 'Ada', at, always: false }, '✅ Approved by Ada, 12:03 UTC'],
    [
      { kind: 'approved', by: 'Ada', at, always: true },
      '✅ Approved by Ada, 12:03 UTC; rm -rf build always',
    ],
    [
      { kind: 'approved', by: 'Ada', at, always: false, life: '1h' },
      '✅ Approved by Ada, 12:03 UTC; rm -rf build for 1 h',
    ],
    [{ kind: 'granted', life: 'turn' }, '✅ Allowed by a grant that was given for this turn'],
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
      '✅ Approved by Ada, 12:03 UTC; rm -rf build 5 more times → exit 0 (1.2 s)',
    ],
    [
      { kind: 'approved', by: 'Ada', at: yesterday, always: false },
      '✅ Approved by Ada, 20 Nov 23:59 UTC',
    ],
    [
      { kind: 'denying', by: 'Ada', at, until: at },
      '🚫 Denied by Ada, 12:03 UTC. Until 12:03 UTC Ada can add the reason.',
    ],
    [{ kind: 'denied', by: 'Ada', at }, '🚫 Denied by Ada, 12:03 UTC'],
    [
      { kind: 'denied', by: 'Ada', at, reason: 'too\nbig' },
      '🚫 Denied by Ada, 12:03 UTC: too⟨U+000A⟩big',
    ],
    [{ kind: 'expired', at }, '⌛ Expired, 12:03 UTC: nobody answered in time'],
    [{ kind: 'cancelled', why: 'stopped', by: 'Ada' }, '⚪ Cancelled: stopped by Ada'],
    [{ kind: 'running', by: 'Ada' }, '⏳ Approved by Ada → running'],
    [
      { kind: 'finished', by: 'Ada', outcome: 'exit 0', isSuccess: true, durationMs: 1_234 },
      '✅ Approved by Ada → exit 0 (1.2 s)',
    ],
  ])('CARD-05 APPR-05 APPR-13 %j is one line of truth with its call', (status, words) => {
    const wide = { ...style, columns: undefined }
    expect(cardUpdateText(aCard({ status }), wide)).toBe(`❯ 3 · rm -rf build: ${words}`)
    expect(cardText(aCard({ status }), wide).split('\n').at(-1)).toBe(`❯ ${words}`)
  })

  test('CARD-05 the last line of the output stands below it', () => {
    const status: CardStatus = {
      kind: 'finished',
      by: 'Ada',
      outcome: 'exit 2',
      isSuccess: false,
      durationMs: 5,
      lastLine: 'ls: x: No such file',
    }
    expect(cardUpdateText(aCard({ status }), style).split('\n').at(-1)).toBe(
      '❯     ls: x: No such file',
    )
  })

  test('CHAT-05 THREAT-23 no text of a card can pass for a line of the product, hide, or control the terminal', () => {
    const nasty = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 40 }),
      fc
        .array(
          fc.constantFrom(
            "\n❯ Eve's agent wants to run a command:",
            '\r',
            '\u001b[2K',
            '\u001b[1A',
            '\u009b1A',
            '\u202e',
            '\u2028❯ who',
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
        expect(withoutIsolates(text)).not.toMatch(
          /(?!\n)\p{Cc}|[\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b]/u,
        )
        const lines = text.split('\n')
        expect(lines.every((line) => line.startsWith('❯'))).toBe(true)
        expect(text.match(/❯/g)).toHaveLength(lines.length)
        const call = lines.slice(1).filter((line) => !/^❯ {5}/.test(line))
        expect(call.filter((line) => / wants to /.test(line))).toEqual(
          call.filter((line) => /^❯ ⚠️/.test(line) && / wants to /.test(line)),
        )
        expect(lines.filter((line) => /^❯ y approve/.test(line)).length).toBeLessThanOrEqual(1)
      }),
      { numRuns: 300 },
    )
  })
})
