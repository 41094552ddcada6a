import type { Card } from '../../../../src/domain/approval.ts'

/** As older versions stored it: with neither risk nor effects. */
export function anOldCard(): Card {
  const { effects: _, isAlwaysHarmless: __, ...card } = aCard()
  return card
}

export function aCard(changes: Partial<Card> = {}): Card {
  return {
    approvalId: '01a1ff00-0000-7000-8000-000000000003',
    number: 3,
    tool: 'bash',
    what: 'rm -rf build',
    language: 'bash',
    reasons: ['no rule allows it', 'rm deletes files'],
    effects: [],
    alwaysPatterns: ['rm -rf build'],
    isAlwaysHarmless: true,
    requestedBy: 'Ada',
    whoMayAnswer: 'Ada, or an approver',
    expiresAt: new Date(Date.now() + 24 * 3_600_000 - 5_000).toISOString(),
    status: { kind: 'waiting' },
    ...changes,
  }
}
