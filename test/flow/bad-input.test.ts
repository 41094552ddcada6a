import { describe, expect, test } from 'vitest'
import { verifyChains } from '../../src/core/audit/verify-chains.ts'
import { createFlow, eve, type Flow } from '../support/flow.ts'
import { call, calls, createScriptedModel, say, toRequest } from '../support/scripted-model.ts'

const nasty = 'a\0b\uD800c\uDFFF\u001b[31m\u202e'

async function auditIsWhole(flow: Flow): Promise<void> {
  expect((await verifyChains(flow.db, () => true)).broken).toEqual([])
}

function resultsOf(model: ReturnType<typeof createScriptedModel>): string[] {
  const messages = model.requests.at(-1)?.messages ?? []
  return messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []))
}

describe('bad input is told clearly and loses nothing', () => {
  test('REL-02 NUL and lone surrogates in messages, answers, arguments, reasons, names and output', async () => {
    const model = createScriptedModel([
      calls(
        [
          toRequest('write', { path: 'odd.txt', content: nasty }, `id${nasty}`),
          toRequest('bash', {
            command: `printf '${'a\\000b\\377\\376'}'; echo "${nasty.replaceAll('\0', '')}"`,
          }),
          toRequest(`no${nasty}tool`, { [nasty]: nasty }),
          toRequest('read', `{"path": "${nasty}"`),
          toRequest('bash', { command: 'echo denied' }),
        ],
        `text ${nasty}`,
      ),
      say(`answer ${nasty}`),
    ])
    await using flow = await createFlow({ model })
    await flow.say(`message ${nasty}`)
    await flow.decide({ kind: 'approve' }, eve, 1)
    await flow.decide({ kind: 'deny', reason: `because ${nasty}` }, eve, 2)
    expect(flow.platform.answers()).toHaveLength(1)
    const [written, printed, unknown, malformed, denied] = resultsOf(model)
    expect(written).toContain('Wrote')
    expect(printed).toContain('a\uFFFDb')
    expect(unknown).toContain('category: tool_not_found')
    expect(malformed).toContain('category: invalid_parameters')
    expect(denied).toContain('rejected by user: because')
    for (const text of resultsOf(model)) expect(text).not.toContain('\0')
    await auditIsWhole(flow)
  })

  test('BASH-04 REL-02 50 MB of output costs bounded memory; head and tail are kept and the turn goes on', async () => {
    const model = createScriptedModel([
      call('bash', { command: 'head -c 50000000 /dev/zero | tr "\\0" "x"; echo; echo THE END' }),
      say('done'),
    ])
    await using flow = await createFlow({ model })
    await flow.say('go')
    await flow.decide({ kind: 'approve' })
    const row = await flow.db.selectFrom('tool_call').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ state: 'succeeded', exit_code: 0, truncated: true })
    expect(row.result?.length ?? 0).toBeLessThan(60_000)
    expect(row.result).toContain('THE END')
    expect(flow.platform.answers()).toEqual(['done'])
  })

  test('REL-02 a broken rules file makes everything ask, is told by line, and works again when mended', async () => {
    const { writeFile } = await import('node:fs/promises')
    const model = createScriptedModel((request) =>
      request.messages.at(-1)?.role === 'user' ? call('list_directory', { path: '.' }) : say('ok'),
    )
    await using flow = await createFlow({ model })
    await flow.say('one')
    expect(flow.platform.cards()).toEqual([])
    const path = flow.product.ctx.permissions.describe('default')
    await writeFile(path, '{\n  "*": "Deny"\n}\n')
    await flow.say('two')
    expect(flow.platform.cards()).toHaveLength(1)
    // The agent looks at them every 5 s for whoever asks.
    const status = async () => {
      await flow.say('/status')
      return flow.platform.texts().at(-1)
    }
    await expect.poll(status, { timeout: 30_000, interval: 500 }).toMatch(/line 2/)
    await writeFile(path, '{ "list_directory": "allow" }')
    await flow.decide({ kind: 'approve' })
    await flow.say('three')
    expect(flow.platform.cards()).toHaveLength(1)
  })

  test('REL-02 an event that no handler understands does not hold up its conversation', async () => {
    const model = createScriptedModel([say('still here')])
    await using flow = await createFlow({ model })
    const id = await flow.act({ kind: 'message', text: '/help' })
    await flow.db
      .insertInto('inbound_event')
      .values({
        id: '01a1ff00-0000-7000-8000-000000000000',
        platform: 'test',
        external_id: 'odd',
        conversation_id: id,
        caller_id: 'test:ada',
        body: '{"kind":"from a later version"}',
      })
      .execute()
    await flow.say('hello')
    expect(flow.platform.answers()).toEqual(['still here'])
  })
})
