import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { auditRows } from '../support/audit-rows.ts'
import { bob, createFlow, eve, type Flow } from '../support/flow.ts'
import { call, createScriptedModel, say } from '../support/scripted-model.ts'

const transactional = { COUNTERSIGN_TOOLS_SHELL_TRANSACTIONAL: 'true' }

function workspaceOf({ dataDir }: Flow): string {
  const [id = ''] = readdirSync(join(dataDir, 'workspaces'))
  return join(dataDir, 'workspaces', id)
}

describe('/undo', () => {
  test('BASH-07 CHAT-03 takes back what the last call changed, is audited as a call, and tells what it did', async () => {
    const model = createScriptedModel([
      call('write', { path: 'a.txt', content: 'one' }),
      say('written'),
    ])
    await using flow = await createFlow({ model, settings: transactional })
    await flow.say('/undo')
    expect(flow.platform.texts().at(-1)).toBe('Nothing has been changed here yet.')
    await flow.say('go')
    const file = join(workspaceOf(flow), 'a.txt')
    expect(readFileSync(file, 'utf8')).toBe('one')
    await flow.say('/undo')
    expect(flow.platform.texts().at(-1)).toMatch(
      /^Undone: 1 new entry removed\. \/undo once more brings it back\.\s+a\.txt$/,
    )
    expect(existsSync(file)).toBe(false)
    const rows = (await auditRows(flow.db)).filter((row) => row.tool === 'undo')
    expect(rows.map(({ caller_id }) => caller_id)).toContain('test:ada')
    await flow.say('/undo')
    expect(readFileSync(file, 'utf8')).toBe('one')
  })

  test('BASH-07 CHAT-03 where no snapshot is left, it says so in words', async () => {
    const model = createScriptedModel([
      call('write', { path: 'a.txt', content: 'one' }),
      say('written'),
    ])
    await using flow = await createFlow({ model, settings: transactional })
    await flow.say('go')
    rmSync(join(flow.dataDir, 'snapshots'), { recursive: true })
    await flow.say('/undo')
    expect(flow.platform.texts().at(-1)).toBe('Undo failed: there is no snapshot to go back to.')
  })

  test('BASH-07 a failing command is put back, and the model is told', async () => {
    const model = createScriptedModel((request) =>
      request.messages.at(-1)?.role === 'tool'
        ? say('ok')
        : call('bash', { command: 'echo x > made; false' }),
    )
    await using flow = await createFlow({ model, settings: transactional })
    await flow.say('go')
    await flow.decide({ kind: 'approve' })
    expect(existsSync(join(workspaceOf(flow), 'made'))).toBe(false)
    const row = await flow.db.selectFrom('tool_call').selectAll().executeTakeFirstOrThrow()
    expect(row.result).toContain(
      'it failed, so the workspace was put back as it was before: 1 new entry removed',
    )
  })

  test('BASH-07 DECISION-20 whose change it was, and approvers, may undo it; nobody else', async () => {
    const model = createScriptedModel([
      call('write', { path: 'a.txt', content: 'one' }),
      say('written'),
    ])
    await using flow = await createFlow({ model, settings: transactional })
    await flow.say('go')
    await flow.say('/undo', bob)
    expect(flow.platform.texts().at(-1)).toContain('Only the person whose change it was')
    expect(existsSync(join(workspaceOf(flow), 'a.txt'))).toBe(true)
    await flow.say('/undo', eve)
    expect(existsSync(join(workspaceOf(flow), 'a.txt'))).toBe(false)
  })

  test('BASH-07 DECISION-20 a call that changed nothing makes nobody the one whose change it was', async () => {
    const model = createScriptedModel([
      call('write', { path: 'a.txt', content: 'one' }),
      say('written'),
      call('bash', { command: 'ls' }),
      say('looked'),
    ])
    await using flow = await createFlow({ model, settings: transactional })
    await flow.say('go')
    await flow.say('look', bob)
    await flow.decide({ kind: 'approve' }, bob)
    expect(flow.platform.texts().at(-1)).toBe('looked')
    const file = join(workspaceOf(flow), 'a.txt')
    await flow.say('/undo', bob)
    expect(flow.platform.texts().at(-1)).toContain('Only the person whose change it was')
    expect(existsSync(file)).toBe(true)
    await flow.say('/undo')
    expect(existsSync(file)).toBe(false)
  })

  test('BASH-07 without transactional it says how to turn it on', async () => {
    await using off = await createFlow({ model: createScriptedModel([]) })
    await off.say('/undo')
    expect(off.platform.texts().at(-1)).toContain('transactional in [tools.shell]')
  })

  test('BASH-07 REG-05 no model can call it, nor is one shown it', async () => {
    const seen: string[] = []
    const model = createScriptedModel((request) => {
      seen.push(...request.tools.map(({ name }) => name))
      return request.messages.at(-1)?.role === 'tool' ? say('no') : call('undo', {})
    })
    await using flow = await createFlow({ model, settings: transactional })
    await flow.say('go')
    expect(seen).not.toContain('undo')
    const row = await flow.db.selectFrom('tool_call').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ tool: 'undo', state: 'failed', error_category: 'tool_not_found' })
    expect(row.result).not.toMatch(/nearest[^.]*\bundo\b/)
  })
})
