import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sha256 } from '../../src/util/digest.ts'
import { createFlow, type Flow } from '../support/flow.ts'
import { call, createScriptedModel, say } from '../support/scripted-model.ts'

const first = '#!/bin/bash\necho first\n'
const second = '#!/bin/bash\necho second\n'

test('APPR-24 the card names a program of the workspace by size and digest; changed meanwhile, it asks again and runs nothing', async () => {
  const script = { path: 'deploy.sh', content: first }
  const model = createScriptedModel([
    call('write', script),
    call('bash', { command: 'cat deploy.sh | bash' }),
    say('done'),
  ])
  await using flow = await createFlow({ model })
  await flow.say('go')
  const reasons = async () => {
    const rows = await flow.db.selectFrom('approval').selectAll().orderBy('number').execute()
    return rows.map(({ state, card }) => [state, JSON.parse(card).reasons.join('\n')])
  }
  const [[state, why] = []] = await reasons()
  expect(state).toBe('pending')
  expect(why).toContain(`deploy.sh: ${first.length} bytes, SHA-256 ${sha256(first)}`)
  await writeFile(join(await workspaceOf(flow), 'deploy.sh'), second)
  await flow.say('/approve')
  const [old, fresh] = await reasons()
  expect(old?.[0]).toBe('superseded')
  expect(fresh?.[0]).toBe('pending')
  expect(fresh?.[1]).toContain(sha256(second))
  await flow.say('/approve')
  const calls = await flow.db.selectFrom('tool_call').selectAll().orderBy('number').execute()
  expect(calls.map(({ state, output, result }) => [state, output ?? result])).toMatchObject([
    ['succeeded', expect.anything()],
    ['succeeded', expect.stringContaining('second')],
  ])
})

test('APPR-24 a program that an earlier call of the turn rewrites under an open card is not run unseen', async () => {
  const model = createScriptedModel([call('bash', { command: './none.sh' }), say('done')])
  await using flow = await createFlow({ model })
  await flow.say('go')
  const approval = await flow.db.selectFrom('approval').selectAll().executeTakeFirstOrThrow()
  expect(JSON.parse(approval.card).reasons.join('\n')).not.toContain('It runs')
  await writeFile(join(await workspaceOf(flow), 'none.sh'), first, { mode: 0o755 })
  await flow.say('/approve')
  const rows = await flow.db.selectFrom('approval').selectAll().orderBy('number').execute()
  expect(rows.map(({ state }) => state)).toEqual(['superseded', 'pending'])
})

async function workspaceOf({ db, dataDir }: Flow): Promise<string> {
  const { id } = await db.selectFrom('conversation').select('id').executeTakeFirstOrThrow()
  return join(dataDir, 'workspaces', id)
}
