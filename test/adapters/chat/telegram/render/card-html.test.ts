import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ButtonsView, cardRows } from '../../../../../src/adapters/chat/render/card-buttons.ts'
import { toVisible } from '../../../../../src/adapters/chat/render/printable.ts'
import { createSlackCanvas } from '../../../../../src/adapters/chat/slack/render/slack-canvas.ts'
import { createTelegramCanvas } from '../../../../../src/adapters/chat/telegram/outgoing/create-messenger.ts'
import type { Card, CardStatus } from '../../../../../src/domain/approval.ts'
import { effectKinds, effectPhrases } from '../../../../../src/domain/effect.ts'
import { english } from '../../../../../src/domain/messages/messages.ts'
import { anyCharacter } from '../../../../support/run/any-character.ts'
import { withoutIsolates } from '../../../../support/run/without-isolates.ts'
import { anOldCard, aCard as anyCard } from '../../console/cards.ts'
import { cardHtml } from './as-html.ts'
import { livePings, readMessage } from './read-message.ts'

const slackCanvas = createSlackCanvas(english)

const telegramCanvas = createTelegramCanvas(english)

const now = Date.parse('2026-11-21T12:00:00Z')
const at = '2026-11-21T12:03:00Z'
const by = 'Ada'

function aCard(changes: Partial<Card> = {}): Card {
  return anyCard({ number: 7, expiresAt: '2026-11-22T11:59:30Z', ...changes })
}

/** The lines before the details. */
function firstView(card: Card, view = {}): string[] {
  const { html } = cardHtml(card, { now, ...view })
  return readMessage(html.replace(/\n?<blockquote expandable>[\s\S]*$/, '')).text.split('\n')
}

const file = {
  id: '01a1ff00-0000-7000-8000-000000000009',
  name: 'question-7.sh',
  bytes: 14_200,
  lines: 312,
  sha256: '0123456789abcdef'.repeat(4),
}

describe('a card in Telegram', () => {
  test('CARD-01 CARD-02 APPR-02 BOX-08 CHAT-08 it says who wants what, what it would do and its state; the rest is folded', () => {
    const card = aCard({
      does: 'run a command',
      where: 'shop-api',
      effects: [{ kind: 'deletes' }, { kind: 'writes_outside', of: '/etc/hosts' }],
      warning: 'It can read and change everything\nyou can.',
      risk: 'high',
      file,
      messagesKept: 1,
    })
    expect(cardHtml(card, { now })).toEqual({
      isWhole: true,
      html: [
        "❯ <b>Ada's agent</b> wants to run a command in <code>shop-api</code>:",
        '<pre><code class="language-bash">rm -rf build</code></pre>',
        '🗑 deletes files',
        '⚠️ writes outside the workspace: <code>/etc/hosts</code>',
        '⚠️ It can read and change everything',
        '⚠️ you can.',
        '📎 This is an excerpt: the file above has all of it (312 lines, 14,200 bytes).',
        '💬 1 message kept meanwhile; the model reads it at its next step. This still waits.',
        '<b>Waiting for an answer.</b>',
        '<blockquote expandable><b>Who may answer</b> <b>Ada</b>, or an approver',
        '<b>Until</b> 22 Nov 11:59 UTC',
        '<b>Risk</b> high',
        '<b>Approval</b> 7 · bash',
        '<b>Why it asks</b>',
        '• no rule allows it',
        '• rm deletes files',
        '<b>Always would allow</b> <code>rm -rf build</code>',
        '<b>For</b> <b>Ada</b> until <code>/clear</code>; for everybody if an approver taps it',
        '<b>File</b> question-7.sh (312 lines, 14,200 bytes, sha-256 0123456789abcdef…)</blockquote>',
      ].join('\n'),
    })
  })

  test('CARD-01 a card of an older version shows its reasons before the details', () => {
    expect(firstView(anOldCard())).toEqual([
      "❯ Ada's agent wants to use bash:",
      'rm -rf build',
      '⚠️ no rule allows it',
      '⚠️ rm deletes files',
      'Waiting for an answer.',
    ])
  })

  test('CARD-04 an ordinary command takes at most 7 lines of 40 columns before the details, without signs of boxes', () => {
    const card = aCard({
      does: 'run a command',
      where: 'shop-api',
      what: 'npm run build -- --verbose --out dist/release',
      effects: [{ kind: 'hidden_code', of: 'package.json' }],
      risk: 'medium',
    })
    const lines = firstView(card)
    const rows = lines.flatMap((line) => Array(Math.ceil(line.length / 40)).fill(line))
    expect(rows.length).toBeLessThanOrEqual(7)
    expect(lines.join('\n')).not.toMatch(/[\u2500-\u259f]/)
    expect(lines.join('\n')).not.toMatch(/rule|sha-256|Approval|\bbash\b/)
  })

  test('CARD-02 each kind of effect is on the first view, with what it concerns', () => {
    for (const kind of effectKinds) {
      const { words, of } = effectPhrases[kind]
      const lines = firstView(aCard({ effects: [{ kind, of: 'some/thing' }] }))
      const shown = lines.filter((line) => line.includes('some/thing'))
      expect(shown).toHaveLength(1)
      expect(shown[0]).toContain(of === 'alone' ? 'some/thing' : words)
      const alone = firstView(aCard({ effects: [{ kind }] }))
      expect(alone.filter((line) => line.includes(words))).toHaveLength(1)
    }
  })

  test('APPR-02 a diff is shown below the path it changes', () => {
    const what = 'edit src/a.ts\n\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-<old>\n+new'
    const [, title, ...diff] = cardHtml(aCard({ tool: 'edit', what }), { now }).html.split('\n')
    expect(title).toBe('<code>edit src/a.ts</code>')
    expect(diff.slice(0, 5).join('\n')).toBe(
      '<pre><code class="language-diff">--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-&lt;old&gt;\n+new</code></pre>',
    )
  })

  test('APPR-02 text that is neither a command nor a diff is code without a language', () => {
    const what = 'fetch\nurl: https://x.y'
    const { language: _, ...card } = aCard({ tool: 'fetch', what })
    expect(cardHtml(card, { now }).html).toContain(`<pre>${what}</pre>`)
  })

  test('CARD-03 APPR-02 APPR-23 the choice of Always shows its patterns in full, and the lack of any is stated', () => {
    const choice = aCard({ alwaysPatterns: ['git status', 'git log <x>'], open: 'choice' })
    const several = cardHtml(choice, { now }).html.replace(/<blockquote[\s\S]*$/, '')
    expect(several).toContain(
      '<b>Waiting for an answer.</b>\n<b>Always would allow</b>\n• <code>git status</code>\n• <code>git log &lt;x&gt;</code>\n<b>For</b> <b>Ada</b> until',
    )
    const none = cardHtml(aCard({ alwaysPatterns: [] }), { now }).html
    expect(none).toContain('\n<b>Always</b> is not offered here.</blockquote>')
  })

  test.each([
    ['2026-11-21T12:45:00Z', '21 Nov 12:45 UTC'],
    ['2026-12-02T12:00:00Z', '2 Dec 12:00 UTC'],
    ['2027-01-01T00:00:00Z', '1 Jan 2027 00:00 UTC'],
    ['nonsense', 'nonsense'],
  ])('APPR-02 a card until %s says %j', (expiresAt, words) => {
    expect(cardHtml(aCard({ expiresAt }), { now }).html).toContain(`<b>Until</b> ${words}\n`)
  })

  test.each<[CardStatus, string]>([
    [{ kind: 'approved', by, at, always: false }, '✅ Approved by Ada, 12:03 UTC'],
    [
      { kind: 'approved', by, at, always: true },
      '✅ Approved by Ada, 12:03 UTC; rm -rf build always',
    ],
    [
      { kind: 'approved', by, at: '2026-11-20T23:59:00Z', always: false },
      '✅ Approved by Ada, 20 Nov 23:59 UTC',
    ],
    [{ kind: 'granted' }, '✅ Allowed by a rule made with “Always”'],
    [
      { kind: 'approved', by, at, always: false, life: '1h' },
      '✅ Approved by Ada, 12:03 UTC; rm -rf build for 1 h',
    ],
    [
      { kind: 'running', by, at, life: 'turn' },
      '⏳ Approved by Ada, 12:03 UTC; rm -rf build for this turn → running',
    ],
    [
      { kind: 'finished', by, at, life: '5x', outcome: 'done', isSuccess: true, durationMs: 1_234 },
      '✅ Approved by Ada, 12:03 UTC; rm -rf build 5 more times → done (1.2 s)',
    ],
    [{ kind: 'granted', life: '15m' }, '✅ Allowed by a grant that was given for 15 min'],
    [
      { kind: 'denying', by, at, until: '2026-11-21T12:08:00Z' },
      '🚫 Denied by Ada, 12:03 UTC. Until 12:08 UTC Ada can reply to this message with the reason, or tap Just deny.',
    ],
    [{ kind: 'denied', by, at }, '🚫 Denied by Ada, 12:03 UTC'],
    [{ kind: 'denied', by, at, reason: 'too big' }, '🚫 Denied by Ada, 12:03 UTC: too big'],
    [{ kind: 'expired', at }, '⌛ Expired, 12:03 UTC: nobody answered in time'],
    [{ kind: 'cancelled', why: 'stopped', by: 'Ada' }, '⚪ Cancelled: stopped by Ada'],
    [{ kind: 'running', by, at }, '⏳ Approved by Ada, 12:03 UTC → running'],
    [{ kind: 'running', by }, '⏳ Approved by Ada → running'],
    [
      { kind: 'finished', by, at, outcome: 'exit 0', isSuccess: true, durationMs: 125_000 },
      '✅ Approved by Ada, 12:03 UTC → exit 0 (2 min 5 s)',
    ],
    [
      {
        kind: 'finished',
        by: 'a rule',
        outcome: 'exit 127, command not found',
        isSuccess: false,
        durationMs: 12,
      },
      '❌ Approved by a rule → exit 127, command not found (0.0 s)',
    ],
  ])(
    'CARD-05 APPR-05 APPR-13 TG-03 %j: the card shrinks to its call and one line',
    (status, line) => {
      expect(firstView(aCard({ status }))).toEqual(['❯ Approval 7 · rm -rf build', line])
    },
  )

  test('CARD-05 APPR-13 a running call shows its time, and the last line of output below', () => {
    const { html } = cardHtml(aCard({ status: { kind: 'running', by, at } }), {
      now,
      elapsedMs: 8_400,
      lastLine: 'compiling <b> ❯ ❯',
    })
    expect(html).toBe(
      '❯ Approval 7 · <code>rm -rf build</code>\n⏳ Approved by <b>Ada</b>, 12:03 UTC → running (8 s)\n<code>compiling &lt;b&gt; | |</code>',
    )
  })

  test('CARD-05 a finished call shows the last line of its output; a long call is folded below', () => {
    const status: CardStatus = {
      kind: 'finished',
      by,
      at,
      outcome: 'exit 2',
      isSuccess: false,
      durationMs: 1_000,
      lastLine: 'ls: x: No such file',
    }
    const what = `ls x\n${'y'.repeat(30)}`
    const { html } = cardHtml(aCard({ what, status }), { now })
    expect(html).toBe(
      [
        '❯ Approval 7 · <code>ls x</code>',
        '❌ Approved by <b>Ada</b>, 12:03 UTC → exit 2 (1.0 s)',
        '<code>ls: x: No such file</code>',
        `<blockquote expandable><code>${what}</code></blockquote>`,
      ].join('\n'),
    )
  })

  test('APPR-15 the patterns of a grant that are too many for the line are listed below it', () => {
    const status: CardStatus = { kind: 'approved', by, at, always: false, life: '1h' }
    const { html } = cardHtml(aCard({ alwaysPatterns: ['git log *', 'wc *'], status }), { now })
    expect(html).toBe(
      [
        '❯ Approval 7 · <code>rm -rf build</code>',
        '✅ Approved by <b>Ada</b>, 12:03 UTC; the patterns below for 1 h',
        '<blockquote expandable><b>Allowed for 1 h</b>',
        '• <code>git log *</code>',
        '• <code>wc *</code></blockquote>',
      ].join('\n'),
    )
  })

  test('APPR-16 hidden characters are made visible', () => {
    const effects = [{ kind: 'reads_outside' as const, of: 'a\u202e\nb' }]
    const card = aCard({
      what: 'ls\u202e\n❯ x\u200b',
      requestedBy: 'A\nda',
      where: 's\u200b',
      effects,
    })
    const { html } = cardHtml(card, { now })
    expect(html).toContain('ls⟨U+202E⟩\n⟨U+276F⟩ x⟨U+200B⟩')
    expect(html).toContain("<b>A⟨U+000A⟩da's agent</b>")
    expect(html).toContain('in <code>s⟨U+200B⟩</code>:')
    expect(html).toContain('<code>a⟨U+202E⟩⟨U+000A⟩b</code>')
  })

  test('APPR-16 everything that the core puts on a card is shown completely', () => {
    const card = aCard({
      what: '&'.repeat(1_800),
      reasons: Array.from({ length: 10 }, () => '<'.repeat(50)),
      alwaysPatterns: Array.from({ length: 10 }, () => '"'.repeat(40)),
      warning: 'w'.repeat(100),
      messagesKept: 9,
      file,
    })
    const { html, isWhole } = cardHtml(card, { now })
    expect(isWhole).toBe(true)
    expect(readMessage(html).text).toContain('&'.repeat(1_800))
  })

  test('APPR-16 if there is no room for everything, it states how much is missing and that it must not be approved', () => {
    const what = `first ${'x'.repeat(6_000)} last`
    const { html, isWhole } = cardHtml(aCard({ what }), { now })
    const { text } = readMessage(html)
    expect(isWhole).toBe(false)
    const [, head, missing, tail] =
      /\n(first x+)\n⋯ (\d+) characters not shown here: do not approve this ⋯\n(x+ last)\n/.exec(
        text,
      ) ?? []
    expect(`${head}${tail}`).toHaveLength(what.length - Number(missing))
    expect(text.length).toBeGreaterThan(3_500)
    const withFile = readMessage(cardHtml(aCard({ what, file }), { now }).html).text
    expect(withFile).toContain('characters not shown here: the file has all of it ⋯')
  })

  test('THREAT-23 more names and commands than Telegram shows styles of neither ping nor can be tapped', () => {
    const reasons = Array.from({ length: 12 }, () => '@ada /approve '.repeat(8))
    const { html, isWhole } = cardHtml(aCard({ reasons }), { now })
    const { text, entities } = readMessage(html)
    expect(isWhole).toBe(true)
    expect(livePings(text, entities)).toEqual([])
  })

  test('THREAT-23 APPR-16 CHAT-05 whatever is in it, it is one message, whole or says what is missing, and nothing in it poses as a line of ours', () => {
    fc.assert(
      fc.property(
        nastyCard,
        fc.option(fc.string({ unit: anyCharacter, maxLength: 300 })),
        (card, line) => {
          const view = { now, elapsedMs: 5, ...(line === null ? {} : { lastLine: line }) }
          const { html, isWhole } = cardHtml(card, view)
          const { text, entities } = readMessage(html)
          expect(text.match(/❯/g)).toHaveLength(1)
          expect(text.startsWith('❯ ')).toBe(true)
          expect(livePings(text, entities)).toEqual([])
          const own = withoutIsolates(text)
          expect(own).not.toMatch(/(?!\n)\p{Cc}|[\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b]/u)
          expect(/not shown here/.test(text)).toBe(!isWhole)
          if (isWhole && card.status.kind === 'waiting' && card.what.trim() !== '')
            expect(own.replaceAll('\n', '')).toContain(toVisible(card.what).replaceAll('\n', ''))
          const folded = entities.filter(({ type }) => type === 'expandable_blockquote')
          if (card.status.kind === 'waiting') expect(folded).toHaveLength(1)
          const outside = [...entities.filter(({ type }) => type === 'pre'), ...folded].reduce(
            (rest, { offset, length }) =>
              rest.slice(0, offset) + '#'.repeat(length) + rest.slice(offset + length),
            text,
          )
          expect(outside.split('\n').filter((row) => row.startsWith('Waiting for'))).toHaveLength(
            card.status.kind === 'waiting' ? 1 : 0,
          )
        },
      ),
      { numRuns: 250 },
    )
  }, 60_000)
})

const nasty = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc
    .tuple(
      fc.array(
        fc.constantFrom(
          '\nWaiting for an answer.',
          "❯ Eve's agent wants to run a command:",
          '\n',
          '</code></pre><b>',
          '&lt;',
          '@ada',
          ' /approve',
          '\u202e',
          '\u200b',
          '👩‍👩‍👧',
          '```',
          'ls',
          ' ',
          '\ud800',
          '--- a/x\n',
          '@@ -1 +1 @@\n',
          '\n\n',
          '\u0301',
          '"',
        ),
        { minLength: 1, maxLength: 8 },
      ),
      fc.constantFrom(1, 1, 1, 30, 500),
    )
    .map(([parts, times]) => parts.join('').repeat(times)),
)
const status: fc.Arbitrary<CardStatus> = fc.oneof(
  fc.constant({ kind: 'waiting' as const }),
  nasty.map((reason) => ({ kind: 'denied' as const, by: reason, at, reason })),
  nasty.map((outcome) => ({
    kind: 'finished' as const,
    by: outcome,
    at,
    outcome,
    isSuccess: false,
    durationMs: 1,
  })),
  nasty.map((who) => ({ kind: 'running' as const, by: who, at: who })),
  nasty.map((why) => ({ kind: 'cancelled' as const, why })),
  nasty.map((who) => ({ kind: 'denying' as const, by: who, at, until: who })),
)
const nastyCard = fc
  .record({
    tool: nasty,
    what: nasty,
    reasons: fc.array(nasty, { maxLength: 12 }),
    does: nasty,
    where: nasty,
    effects: fc.array(fc.record({ kind: fc.constantFrom(...effectKinds), of: nasty }), {
      maxLength: 12,
    }),
    alwaysPatterns: fc.array(nasty, { maxLength: 12 }),
    requestedBy: nasty,
    whoMayAnswer: nasty,
    expiresAt: fc.constantFrom('2026-11-22T12:00:00Z', 'never'),
    warning: nasty,
    messagesKept: fc.nat(3),
    open: fc.constantFrom(undefined, 'details' as const, 'choice' as const),
    file: nasty.map((name) => ({ ...file, name })),
    status,
  })
  .map(({ open, ...changes }) => aCard(open === undefined ? changes : { ...changes, open }))

describe('the buttons of a card in Telegram', () => {
  const labels = (changes: Partial<Card>, means: ButtonsView = telegramCanvas) =>
    cardRows(aCard(changes), means).map((row) => row.map(({ label }) => label))
  const low = { risk: 'low', alwaysPatterns: ['git status'] } as const
  const several = { risk: 'low', alwaysPatterns: ['git log *', 'wc *'] } as const

  test('CARD-03 TG-02 TG-03 one pattern that fits is named on Always; several open their choice', () => {
    expect(cardRows(aCard(low), telegramCanvas)).toEqual([
      [
        { action: 'approve', label: 'Approve', style: 'success' },
        { action: 'always', label: 'Always: git status' },
        { action: 'deny', label: 'Deny', style: 'danger' },
      ],
      [
        { action: 'edit', label: 'Edit' },
        { action: 'choice', label: '⋯' },
      ],
    ])
    expect(labels(several)).toEqual([['Approve', 'Always…', 'Deny'], ['Edit']])
    for (const pattern of ['npm run build --out x *', 'rm‐x', 'a, wc *', 'x > y'])
      expect(labels({ ...low, alwaysPatterns: [pattern] })[0]?.[1]).toBe('Always…')
  })

  test.each(['git  status', ' git', 'git ', 'a  b  c', ' ', ''])(
    'CARD-03 a pattern whose blanks a button would not show is not named on it: “%s”',
    (pattern) => {
      expect(labels({ ...low, alwaysPatterns: [pattern] })[0]?.[1]).toBe('Always…')
    },
  )

  test('CARD-03 INT-16 a card stored before risk and effects existed opens the choice, behind ⋯', () => {
    const rows = cardRows(anOldCard(), telegramCanvas)
    expect(rows.flat().map(({ label }) => label)).toEqual(['Approve', 'Deny', 'Edit', '⋯'])
    const { isAlwaysHarmless: _, ...unknown } = aCard(low)
    expect(cardRows(unknown, telegramCanvas)[0]?.[1]?.action).toBe('choice')
  })

  test('CARD-03 what one tap would grant is on the first lines of the folded details', () => {
    const { html } = cardHtml(aCard(low), { now })
    const first = '<b>Always would allow</b> <code>git status</code>\n<b>For</b>'
    expect(html).toContain(`<blockquote expandable>${first}`)
  })

  test('CARD-03 APPR-15 the choice has each duration, in three rows with one Back', () => {
    const first = ['15 min', '1 h', '5 times']
    for (const means of [telegramCanvas, slackCanvas]) {
      expect(labels({ ...several, open: 'choice' }, means)).toEqual([
        first,
        ['Always', '‹ Back', 'This turn'],
        ['Edit'],
      ])
      expect(labels({ ...several, risk: 'high', open: 'choice' }, means)).toEqual([
        first,
        ['Always', 'This turn'],
        ['‹ Back'],
      ])
    }
    expect(labels({ alwaysPatterns: [], open: 'choice' })).toEqual([['‹ Back']])
  })

  test('CARD-03 a destructive call or one of high risk has Always behind ⋯ at most', () => {
    for (const danger of [{ risk: 'high' }, { effects: [{ kind: 'deletes' }] }] as const) {
      const rows = [
        ['Approve', 'Deny'],
        ['Edit', '⋯'],
      ]
      expect(labels({ ...several, ...danger })).toEqual(rows)
      expect(labels({ ...low, ...danger })).toEqual(rows)
      const none = labels({ ...several, ...danger, alwaysPatterns: [] })
      expect(none).toEqual([['Approve', 'Deny'], ['Edit']])
    }
  })

  test('CARD-02 CARD-03 where nothing folds, ⋯ shows the details, and they lead on to Always', () => {
    expect(labels(several, slackCanvas)).toEqual([
      ['Approve', 'Always…', 'Deny'],
      ['Edit', '⋯'],
    ])
    expect(labels({ ...several, open: 'details' }, slackCanvas)).toEqual([
      ['Approve', 'Always…', 'Deny'],
      ['Edit', '‹ Back'],
    ])
    expect(labels({ ...low, risk: 'high', open: 'details' }, slackCanvas)).toEqual([
      ['Approve', 'Deny'],
      ['Edit', '‹ Back', 'Always…'],
    ])
  })

  test.each([
    ['Telegram', telegramCanvas],
    ['Slack', slackCanvas],
  ])(
    'CARD-03 in %s a double tap on what opens or closes a view grants nothing, counted from below',
    (_, means) => {
      const grants = ['approve', 'always', 'turn', '15m', '1h', '5x']
      const opens = ['choice', 'details', 'back']
      for (const changes of [low, several, { ...low, risk: 'high' as const }]) {
        const views = ([undefined, 'details', 'choice'] as const).map((open) =>
          cardRows(aCard({ ...changes, ...(open !== undefined && { open }) }), means),
        )
        for (const before of views)
          for (const after of views)
            for (const [up, row] of before.toReversed().entries())
              for (const [at, { action }] of row.entries()) {
                if (!opens.includes(action)) continue
                // A button alone in its row is as wide as all of them.
                const below = after.at(-1 - up) ?? []
                const now = (below.length === 1 ? below[0] : below[at])?.action ?? 'nothing'
                expect(grants).not.toContain(now)
              }
      }
    },
  )

  test('APPR-23 a call that is too large can only be denied', () => {
    expect(labels({ tooLarge: true })).toEqual([['Deny']])
    expect(labels({ tooLarge: true, open: 'choice' })).toEqual([['‹ Back']])
    expect(labels({ tooLarge: true }, slackCanvas)).toEqual([['Deny'], ['⋯']])
  })

  test('TG-03 APPR-05 a denial can be ended without a reason; a settled card has no buttons', () => {
    const denying: CardStatus = { kind: 'denying', by, at, until: at }
    expect(cardRows(aCard({ status: denying }), telegramCanvas)).toEqual([
      [{ action: 'just_deny', label: 'Just deny', style: 'danger' }],
    ])
    for (const settled of [
      { kind: 'approved', by, at, always: true },
      { kind: 'granted' },
      { kind: 'denied', by, at },
      { kind: 'expired', at },
      { kind: 'cancelled', why: 'x' },
      { kind: 'running', by },
      { kind: 'finished', by, outcome: 'done', isSuccess: true, durationMs: 1 },
    ] satisfies CardStatus[])
      expect(cardRows(aCard({ status: settled }), telegramCanvas)).toEqual([])
  })
})
