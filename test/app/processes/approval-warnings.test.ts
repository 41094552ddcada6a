import { expect, test } from 'vitest'
import { approvalWarnings } from '../../../src/app/processes/approval-warnings.ts'
import { Environment } from '../../../src/config/env.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { savePrivateConversation } from '../../../src/db/outbox/reach.ts'
import { saveCaller, savePairedRole } from '../../../src/db/people/callers.ts'
import type { Db } from '../../../src/db/schema.ts'
import { ensureConversation } from '../../../src/db/turn/conversations.ts'
import { createTestDatabase } from '../../support/database/database.ts'

function warningsOf(db: Db, settings: Readonly<Record<string, string>>) {
  const variables = Object.entries(settings).map(([key, value]) => [`COUNTERSIGN_${key}`, value])
  const environment = new Environment(Object.fromEntries(variables))
  const loaded = loadConfig({ cwd: '/nowhere', environment })
  if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.problems))
  return approvalWarnings(db, loaded.config)
}

test('APPR-17 APPR-12 only tiers that nobody, or too few people, could approve are reported', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  expect(await warningsOf(db, {})).toEqual([])
  const operator = { APPROVAL_ROLES_HIGH: 'operator' }
  const [none, ...others] = await warningsOf(db, operator)
  expect(others).toEqual([])
  expect(none).toBe(
    '[approval] of high risk a call may need one person, and 0 could approve it: such calls are refused until there is another operator.',
  )
  const listed = { TELEGRAM_APPROVERS: '44', TELEGRAM_OPERATORS: '45' }
  expect(await warningsOf(db, { ...operator, ...listed })).toEqual([])
  const two = { ...operator, APPROVAL_PEOPLE_HIGH: '2' }
  expect(await warningsOf(db, { ...two, ...listed })).toEqual([
    expect.stringContaining('and 1 could'),
  ])
  await savePairedRole(db, { id: 'telegram:46', name: 'Olaf' }, 'operator')
  expect(await warningsOf(db, { ...two, ...listed })).toEqual([])
  const quorum = JSON.stringify([{ tool: 'bash', people: 3 }])
  expect(await warningsOf(db, { ...two, ...listed, APPROVAL_QUORUM: quorum })).toEqual([
    expect.stringMatching(/high risk a call may need 3 people, and 2 could/),
  ])
})

test('APPR-17 an approver who could ask only themselves is reported', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  await saveCaller(db, { id: 'console:ada', name: 'ada', role: 'operator' })
  const alone = await warningsOf(db, { APPROVAL_ALLOW_SELF: 'false' })
  expect(alone).toEqual([
    '[approval] of low, medium, high risk an approver’s own call may need one person more, and there are 0: such calls are refused until there is another approver.',
  ])
  const listed = { TELEGRAM_APPROVERS: '44' }
  expect(await warningsOf(db, { APPROVAL_ALLOW_SELF: 'false', ...listed })).toEqual([])
})

test('APPR-18 APPR-19 an invalid channel is reported, and people who cannot be asked next', async () => {
  await using database = await createTestDatabase()
  const { db } = database
  const settings = {
    APPROVAL_ROUTE: 'channel',
    APPROVAL_CHANNEL: '-100',
    APPROVAL_ESCALATE_TO: 'telegram:44',
  }
  expect(await warningsOf(db, settings)).toEqual([
    expect.stringContaining('channel "-100" is no conversation'),
    expect.stringContaining(
      'escalate_to names "telegram:44", who has not written to us in private',
    ),
  ])
  await saveCaller(db, { id: 'telegram:44', name: 'Eve', role: 'approver' })
  const { id } = await ensureConversation(db, 'telegram', '44')
  await savePrivateConversation(db, 'telegram:44', id)
  expect(await warningsOf(db, { ...settings, APPROVAL_CHANNEL: 'telegram:-100' })).toEqual([])
})
