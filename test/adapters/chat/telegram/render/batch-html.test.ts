import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PrintedCards, present } from '../../../../../src/adapters/chat/console/present.ts'
import { batchRows } from '../../../../../src/adapters/chat/render/card-buttons.ts'
import { createPaints } from '../../../../../src/adapters/chat/render/paint.ts'
import { createTelegramCanvas } from '../../../../../src/adapters/chat/telegram/outgoing/create-messenger.ts'
import type { BatchCard, Card, CardStatus } from '../../../../../src/domain/approval.ts'
import { english } from '../../../../../src/domain/messages/messages.ts'
import { aCard } from '../../console/cards.ts'
import { batchHtml } from './as-html.ts'
import { livePings, readMessage } from './read-message.ts'

const telegramCanvas = createTelegramCanvas(english)

const now = Date.parse('2026-11-21T12:00:00Z')
const at = '2026-11-21T12:03:00Z'
const expiresAt = '2026-11-22T11:59:30Z'
const file = { id: '9', name: 'questions-3-66.txt', bytes: 10, lines: 2, sha256: 'ab'.repeat(32) }
const batchId = '01a1ff00-0000-7000-8000-000000000001'

function aBatch(cards: readonly Partial<Card>[], more: Partial<BatchCard> = {}): BatchCard {
  const each = cards.map((card, index) => aCard({ number: index + 3, expiresAt, ...card }))
  return { batchId, cards: each, ...more }
}

function textOf(batch: BatchCard): string {
  return readMessage(batchHtml(batch, { now }).html).text
}

describe('a card for several questions in Telegram', () => {
  test('CARD-04 APPR-10 APPR-02 alike calls stand together with what each would do, the details last', () => {
    const path = (text: string) => ({
      does: 'edit a file',
      copyable: { kind: 'path' as const, text },
    })
    const batch = aBatch([
      { ...path('src/a.ts'), tool: 'edit', what: 'edit src/a.ts', effects: [], reasons: ['r'] },
      {
        does: 'run a command',
        what: 'git push',
        effects: [{ kind: 'reaches_network', of: 'git push' }],
        reasons: ['no rule allows it'],
        risk: 'high',
      },
      { ...path('src/b.ts'), tool: 'edit', what: 'edit src/b.ts', effects: [], reasons: ['r'] },
    ])
    expect(textOf(batch).split('\n')).toEqual([
      "❯ Ada's agent wants to make 3 calls:",
      '',
      'A · 2 × edit a file in src/',
      '3 · edit a file',
      'edit src/a.ts',
      '5 · edit a file',
      'edit src/b.ts',
      '4 · run a command',
      'git push',
      '🌐 reaches the network: git push',
      '',
      'One by one gives each a card of its own, with Always and Edit.',
      'Waiting for an answer.',
      'Who may answer Ada, or an approver',
      'Until 22 Nov 11:59 UTC',
      'Approvals 3 to 5',
      '3 · edit r',
      '4 · bash, risk high no rule allows it',
      '5 · edit r',
    ])
  })

  const labelsOf = (batch: BatchCard, isWhole = true): string[][] =>
    batchRows(batch, telegramCanvas, isWhole).map((row) => row.map(({ label }) => label))

  test('CARD-04 each group has a choice of its own, by its letter or the number of its only call, beside one for all', () => {
    const edit = (text: string) => ({
      ...{ tool: 'edit', does: 'edit a file', effects: [], risk: 'low' as const },
      copyable: { kind: 'path' as const, text },
    })
    const command = { does: 'run a command', effects: [], risk: 'medium' as const }
    const groups = [edit('src/a.ts'), command, edit('src/b.ts'), command]
    const deletion = { ...command, what: 'rm a', effects: [{ kind: 'deletes' as const }] }
    const batch = aBatch([...groups, deletion])
    expect(labelsOf(batch)).toEqual([
      ['Approve all 5', 'One by one', 'Deny all'],
      ['Approve A', 'Deny A'],
      ['Approve B', 'Deny B'],
      ['Approve 7', 'Deny 7'],
    ])
    expect(textOf(batch)).toContain('\nB · 2 × run a command\n')
    const done: CardStatus = { kind: 'denied', by: 'Eve', at }
    const later = aBatch([
      { ...edit('src/a.ts'), status: done },
      command,
      { ...edit('src/b.ts'), status: done },
      command,
    ])
    expect(labelsOf(later)).toEqual([['Approve all 2', 'One by one', 'Deny all']])
    expect(labelsOf(aBatch([command, command]))).toHaveLength(1)
    expect(labelsOf(aBatch(['a', 'b', 'c', 'd', 'e'].map((does) => ({ does }))))).toHaveLength(1)
    expect(labelsOf(batch, false)).toEqual([['One by one', 'Deny all']])
  })

  test('CARD-04 APPR-16 beside a file a dangerous call that is cut to a line is approved on a card of its own only', () => {
    const cut = { isCut: true as const, what: 'rm -rf a b c…', does: 'run a command' }
    const deletion = { ...cut, effects: [{ kind: 'deletes' as const }] }
    const plain = { ...cut, effects: [], risk: 'medium' as const }
    expect(labelsOf(aBatch([plain, plain], { file }))).toEqual([
      ['Approve all 2', 'One by one', 'Deny all'],
    ])
    const batch = aBatch([plain, plain, deletion], { file })
    expect(labelsOf(batch)).toEqual([
      ['One by one', 'Deny all'],
      ['Approve A', 'Deny A'],
      ['Deny 5'],
    ])
    expect(textOf(batch)).toContain('⛔ Not all of it can be shown here')
  })

  test('CARD-04 THREAT-23 a hostile directory in the title of a group is visible, and no line is imitated', () => {
    const text = 'x\u202e\n❯ Approval 9\u200b/a.ts'
    const edit = {
      ...{ tool: 'edit', does: 'edit a file', effects: [], what: 'edit a.ts' },
      copyable: { kind: 'path' as const, text },
    }
    const batch = aBatch([edit, edit])
    const marked = (shown: string) => shown.split('\n').filter((line) => line.startsWith('❯'))
    expect(marked(textOf(batch))).toEqual(["❯ Ada's agent wants to make 2 calls:"])
    expect(textOf(batch)).toContain('A · 2 × edit a file in x⟨U+202E⟩⟨U+000A⟩')
    const style = { messages: english, paints: createPaints(false), columns: 40, keys: true, now }
    const printed = { rendered: false, printedCards: new PrintedCards() }
    const lines = present({ kind: 'batch', batch }, { ...style, ...printed }).split('\n')
    expect(lines.filter((line) => !/^❯ [^❯]*$/.test(line))).toEqual([])
    expect(lines.join('\n')).not.toMatch(/[\u202e\u200b]/)
  })

  test('CARD-02 beside a file warnings about the box stand once below the calls', () => {
    const warning = 'Commands have no network here: this is likely to fail.'
    const text = textOf(aBatch([{ warning }, { warning }], { file }))
    expect(text.split(`⚠️ ${warning}`)).toHaveLength(2)
  })

  test('APPR-13 what became of one stands below it, and how many wait', () => {
    const denied: CardStatus = { kind: 'denied', by: 'Eve', at, reason: 'no' }
    const text = textOf(aBatch([{ status: denied }, {}]))
    expect(text).toContain('🚫 Denied by Eve, 12:03 UTC: no')
    expect(text).toContain('\n1 of 2 wait for an answer.\n')
  })

  test('APPR-13 APPR-16 of very many it shows those that wait first, counts all, and offers no approval of what has no line', () => {
    const done: CardStatus = {
      kind: 'finished',
      by: 'Ada',
      at,
      outcome: 'exit 0',
      isSuccess: true,
      durationMs: 5,
    }
    const cards = Array.from({ length: 64 }, (_, index) => ({
      what: `${index} ${'x'.repeat(200)}`,
      ...(index % 2 === 0 ? { status: done } : {}),
    }))
    const batch = aBatch(cards, { file })
    const { html, isWhole } = batchHtml(batch, { now })
    const { text } = readMessage(html)
    expect(text).toContain("Ada's agent wants to make 64 calls:")
    expect(text).toMatch(/⋯ \d+ more not shown here, of which \d+ wait ⋯/)
    expect(text).toContain('⛔ Not all of it can be shown here')
    expect(text).toContain('\n32 of 64 wait for an answer.\n')
    expect(
      batchRows(batch, telegramCanvas, isWhole)
        .flat()
        .map(({ action }) => action),
    ).toEqual(['review', 'deny_all'])
  })

  test('CARD-02 APPR-16 beside a file each line names what its call concerns, or not all can be approved at once', () => {
    const at = (of: string) => ({ effects: [{ kind: 'writes_outside' as const, of }] })
    const few = aBatch([at('/etc/hosts'), at('/root/.ssh/config')], { file })
    const { html, isWhole } = batchHtml(few, { now })
    expect(isWhole).toBe(true)
    expect(readMessage(html).text).toContain('writes outside the workspace: /root/.ssh/config')
    const many = aBatch(
      Array.from({ length: 60 }, (_, index) => at(`/etc/${index}/${'x'.repeat(80)}`)),
      { file },
    )
    expect(batchHtml(many, { now }).isWhole).toBe(false)
  })

  test('APPR-16 beside a file 64 questions have a line each, and a sign tells what became of each', () => {
    const done: CardStatus = {
      kind: 'finished',
      by: 'Ada',
      at,
      outcome: 'exit 0',
      isSuccess: true,
      durationMs: 5,
    }
    const cards = Array.from({ length: 64 }, (_, index) => ({
      what: `touch ${index} and a few words`,
      ...(index < 60 ? { status: done } : {}),
    }))
    const batch = aBatch(cards, { file })
    const { html, isWhole } = batchHtml(batch, { now })
    expect(isWhole).toBe(true)
    const { text } = readMessage(html)
    expect(text.match(/^✅ \d+ · touch/gm)).toHaveLength(60)
    expect(text.match(/^\d+ · touch/gm)).toHaveLength(4)
    expect(text).toContain('📎 The whole of each is in the file above (2 lines, 10 bytes).')
    expect(text).toContain('questions-3-66.txt')
  })

  test('APPR-20 APPR-16 what was not wholly shown cannot be approved in one go', () => {
    const long = aBatch([{ what: 'x'.repeat(3_000) }, { what: 'y'.repeat(3_000) }])
    const { isWhole } = batchHtml(long, { now })
    expect(isWhole).toBe(false)
    expect(
      batchRows(long, telegramCanvas, isWhole)
        .flat()
        .map(({ action }) => action),
    ).toEqual(['review', 'deny_all'])
  })

  test('THREAT-23 CHAT-06 whatever stands in it, it fits into a message, pings nobody, and only we write its headings', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 5_000, unit: 'grapheme' }),
      fc.constantFrom('\n\n4 · bash\ngit push', '@everyone /approve all', '</pre><b>Until</b>'),
    )
    const status: fc.Arbitrary<CardStatus> = fc.oneof(
      fc.constant({ kind: 'waiting' } as const),
      text.map((by): CardStatus => ({ kind: 'approved', by, at, always: false })),
      text.map((reason): CardStatus => ({ kind: 'denied', by: 'Eve', at, reason })),
    )
    const card = fc.record({
      what: text,
      reasons: fc.array(text, { maxLength: 4 }),
      requestedBy: text,
      whoMayAnswer: text,
      status,
    })
    const cards = fc.array(card, { minLength: 1, maxLength: 64 })
    fc.assert(
      fc.property(cards, fc.boolean(), (given, hasFile) => {
        const batch = aBatch(given, hasFile ? { file } : {})
        const waiting = given.filter((one) => one.status.kind === 'waiting').length
        const { html } = batchHtml(batch, { now })
        const message = readMessage(html)
        expect(message.text.length).toBeLessThanOrEqual(4_096)
        expect(livePings(message.text, message.entities)).toEqual([])
        expect(message.text).toContain(` wants to make ${given.length} calls:`)
        const state =
          waiting === given.length
            ? 'Waiting for an answer.'
            : `${waiting} of ${given.length} wait for an answer.`
        const lines = message.text.split('\n')
        expect(lines).toContain(waiting === 0 ? 'All are answered.' : state)
      }),
      { numRuns: 60 },
    )
  })
})
