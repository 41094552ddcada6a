import { describe, expect, test } from 'vitest'
import { CardKeys } from '../../../../src/adapters/chat/console/card-keys.ts'
import { PrintedCards, present } from '../../../../src/adapters/chat/console/present.ts'
import { createPaints } from '../../../../src/adapters/chat/render/paint.ts'
import type { BatchCard, Card } from '../../../../src/domain/approval.ts'
import { english } from '../../../../src/domain/messages/messages.ts'
import { aCard } from './cards.ts'

const batchId = '01a1ff00-0000-7000-8000-000000000001'
const later = 1_000

function numbered(number: number, more: Partial<Card> = {}): Card {
  const effects = [{ kind: 'deletes' }] as const
  return aCard({
    number,
    effects,
    approvalId: `01a1ff00-0000-7000-8000-00000000010${number}`,
    ...more,
  })
}

const batch: BatchCard = { batchId, cards: [3, 4, 5].map((number) => numbered(number)) }
const denied = { kind: 'denied', by: 'Eve', at: '2026-11-21T12:03:00Z' } as const

describe('letters for a card with several questions', () => {
  test.each([
    ['y', 'approve_all'],
    ['r', 'review'],
    ['n', 'deny_all'],
  ] as const)('APPR-20 TERM-01 %s alone on the line answers all', (letter, action) => {
    const keys = new CardKeys(english)
    keys.showBatch(batch, 0)
    expect(keys.read(`${letter} `, later)).toEqual({ kind: 'batch', batch, action })
    expect(keys.read(`${letter}${letter}`, later)).toEqual({ kind: 'message' })
  })

  test('APPR-09 a letter that was begun before the card was well there does not answer it', () => {
    const keys = new CardKeys(english)
    keys.showBatch(batch, 0)
    expect(keys.read('y', 499)).toEqual({
      kind: 'unclear',
      why: 'A card for 3 approvals · bash came while you wrote. Answer again.',
    })
  })

  test('APPR-16 what changes and was never printed here is not answered by a letter', () => {
    const keys = new CardKeys(english)
    keys.updateBatch(batch, 0)
    keys.update(numbered(3), 0)
    expect(keys.read('y', later)).toEqual({ kind: 'message' })
    expect(keys.current()).toBeUndefined()
  })

  test('APPR-23 Always is no answer to several questions', () => {
    const keys = new CardKeys(english)
    keys.showBatch(batch, 0)
    for (const letter of ['a', 't', 'x']) {
      expect(keys.read(letter, later)).toMatchObject({ kind: 'unclear' })
    }
    expect(keys.read('z', later)).toEqual({ kind: 'message' })
  })

  test('APPR-20 once one of them was shown by itself, a letter never means all of them again', () => {
    const keys = new CardKeys(english)
    keys.showBatch(batch, 0)
    const first = numbered(3)
    keys.show(first, 0)
    expect(keys.read('y', later)).toMatchObject({ kind: 'decision', card: first })
    keys.show({ ...first, status: denied }, later)
    keys.showBatch(
      { ...batch, cards: [{ ...first, status: denied }, ...batch.cards.slice(1)] },
      later,
    )
    expect(keys.read('y', 9_000)).toEqual({ kind: 'message' })
  })

  test('APPR-20 r means nothing for a card of its own, and all that is answered ends the letters', () => {
    const keys = new CardKeys(english)
    keys.show(numbered(7), 0)
    expect(keys.read('r', 0)).toEqual({ kind: 'message' })
    const other = new CardKeys(english)
    other.showBatch(batch, 0)
    const cards = batch.cards.map((card) => ({ ...card, status: denied }))
    other.updateBatch({ batchId, cards }, 1)
    expect(other.read('y', later)).toEqual({ kind: 'message' })
  })
})

describe('a card with several questions, printed', () => {
  const paints = createPaints(false)
  const style = () => ({
    messages: english,
    paints,
    columns: undefined,
    keys: true,
    rendered: false,
    now: Date.parse('2026-11-21T12:00:00Z'),
    printedCards: new PrintedCards(),
  })

  test('APPR-02 APPR-10 every question has what it would do and why, each line behind the marker', () => {
    const text = present({ kind: 'batch', batch }, style())
    expect(text).toContain("❯ Ada's agent wants to make 3 calls:")
    for (const number of [3, 4, 5]) expect(text).toContain(`❯ ${number} · bash\n❯     rm -rf build`)
    expect(text.match(/deletes files/g)).toHaveLength(3)
    expect(text.match(/Who may answer: Ada, or an approver · expires in/g)).toHaveLength(1)
    expect(text.split('\n').every((line) => line.startsWith('❯'))).toBe(true)
    expect(text.split('\n').at(-1)).toContain('y approve all · r one by one · n deny all')
  })

  test('APPR-16 THREAT-23 what stands in the file is printed whole, and no row of a broken line begins where lines do', () => {
    const file = { id: batchId, name: 'questions-3-5.txt', bytes: 1, lines: 1, sha256: 'a' }
    const whole = `Question 3 · bash · 1 lines\n3 │ echo ${'x'.repeat(120)}4 │ echo ok`
    const narrow = { ...style(), columns: 60, batchFile: whole }
    const text = present({ kind: 'batch', batch: { ...batch, file } }, narrow)
    const rows = text.split('\n').filter((row) => row.includes('xx') || row.includes('4 │'))
    expect(rows.length).toBeGreaterThan(2)
    expect(rows[0]).toMatch(/^❯ {5}3 │ echo x/)
    for (const row of rows.slice(1)) expect(row).toMatch(/^❯ {11}\S/)
    expect(text).not.toContain('rm -rf build')
  })

  test('CHAT-08 what came while they wait is told once', () => {
    const cards = batch.cards.map((card) => ({ ...card, messagesKept: 1 }))
    const text = present({ kind: 'batch', batch: { ...batch, cards } }, style())
    expect(text.match(/1 message kept meanwhile/g)).toHaveLength(1)
  })

  test('APPR-13 an update tells what is new, once', () => {
    const shared = style()
    const one = { ...batch, cards: [numbered(3, { status: denied }), ...batch.cards.slice(1)] }
    const update = { kind: 'batch_update', batch: one } as const
    expect(present(update, shared)).toMatch(/^❯ 3 · rm -rf build: 🚫 Denied by Eve, /)
    expect(present(update, shared)).toBe('')
  })
})
