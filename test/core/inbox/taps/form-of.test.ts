import { describe, expect, test } from 'vitest'
import { formOf } from '../../../../src/core/inbox/taps/form-of.ts'
import { insertTokens } from '../../../../src/db/approval/callback-tokens.ts'
import { savePairedRole } from '../../../../src/db/people/callers.ts'
import type { CardAction } from '../../../../src/domain/approval.ts'
import type { Incoming } from '../../../../src/ports/chat.ts'
import { sha256 } from '../../../../src/util/digest.ts'
import { ada, bob, createBenchContext, eve } from '../../../support/bench-context.ts'
import { call, createScriptedModel, say } from '../../../support/scripted-model.ts'

const nobody = { users: [], approvers: [], operators: [] }
const actions = ['approve', 'always', 'deny', 'edit'] as const

/** A question of Ada’s with its buttons, on a real database. */
async function asked(command = 'touch harmless') {
  const bench = await createBenchContext(
    createScriptedModel([call('bash', { command }), say('done')]),
  )
  const { db } = bench.database
  const conversationId = await bench.say('go')
  await bench.step()
  for (const { id, name, role } of [ada, bob, eve]) await savePairedRole(db, { id, name }, role)
  const { id: approvalId } = await db.selectFrom('approval').select('id').executeTakeFirstOrThrow()
  const tokenOf = (action: CardAction) => `token-of-${action}`
  const known = actions.map((action) => ({ action, sha256: sha256(tokenOf(action)) }))
  await insertTokens(db, { approvalId, conversationId }, known)
  const form = (action: CardAction, change: Partial<Incoming> = {}, written?: string) =>
    formOf(
      { ...bench.ctx, people: { test: nobody } },
      {
        platform: 'test',
        externalId: 'e1',
        place: 'room',
        isPrivate: true,
        from: { id: ada.id, name: ada.name },
        act: {
          kind: 'tap',
          token: tokenOf(action),
          messageId: '7',
          ...(written !== undefined && { written }),
        },
        ...change,
      },
    )
  return Object.assign(bench, { db, form })
}

const of = ({ id, name }: typeof ada) => ({ from: { id, name } })

describe('SLACK-02 APPR-14 the form that a button asks for', () => {
  test('is one for a reason behind Deny, and one for the call behind Edit; the others ask for none', async () => {
    await using at = await asked()
    expect(await at.form('deny')).toEqual({ kind: 'reason', number: 1 })
    expect(await at.form('edit')).toEqual({
      kind: 'edit',
      number: 1,
      present: 'touch harmless',
    })
    expect(await at.form('approve')).toBeUndefined()
    expect(await at.form('always')).toBeUndefined()
    expect(await at.form('deny', of(eve))).toMatchObject({ kind: 'reason' })
  })

  test('THREAT-8 is none for a bystander, a stranger, a token of nobody, another chat, or what a form brought back', async () => {
    await using at = await asked()
    expect(await at.form('deny', of(bob))).toBeUndefined()
    expect(await at.form('deny', { from: { id: 'test:mallory', name: 'M' } })).toBeUndefined()
    expect(await at.form('just_deny')).toBeUndefined()
    expect(await at.form('deny', { place: 'elsewhere' })).toBeUndefined()
    expect(await at.form('deny', { platform: 'telegram' })).toBeUndefined()
    expect(await at.form('deny', {}, 'why not')).toBeUndefined()
    expect(
      await at.form('deny', { act: { kind: 'message', text: 'token-of-deny' } }),
    ).toBeUndefined()
  })

  test('APPR-04 is none once the question was answered, and looking for it changes nothing', async () => {
    await using at = await asked()
    const rows = () => at.db.selectFrom('approval').selectAll().execute()
    const before = await rows()
    await at.form('deny')
    await at.form('edit')
    expect(await rows()).toEqual(before)
    await at.act({ kind: 'message', text: '/deny 1' }, ada)
    expect(await at.form('deny')).toBeUndefined()
    expect(await at.form('edit')).toBeUndefined()
  })

  test('THREAT-25 shows no call that holds a secret', async () => {
    await using at = await asked('echo hunter2')
    const ctx = at.ctx as { redact: (text: string) => string }
    ctx.redact = (text) => text.replaceAll('hunter2', '[secret]')
    expect(await at.form('edit')).toEqual({ kind: 'edit', number: 1, present: '' })
  })
})
