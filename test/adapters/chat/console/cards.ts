import type { Card } from '../../../../src/domain/approval.ts'

export function aCard(changes: Partial<Card> = {}): Card {
  return {
    approvalId: '01a1ff00-0000-7000-8000-000000000003',
    number: 3,
    tool: 'bash',
    what: 'rm -rf build',
    language: 'bash',
    reasons: ['no rule allows it', 'rm deletes files'],
    alwaysPatterns: ['rm -rf build'],
    requestedBy: 'Ada',
    whoMayAnswer: 'Ada, or an approver',
    expiresAt: new Date(Date.now() + 24 * 3_600_000 - 5_000).toISOString(),
    status: { kind: 'waiting' },
    ...changes,
  }
}
