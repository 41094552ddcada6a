import { chown, mkdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ModelAnswer, ModelRequest } from '../../src/ports/model.ts'
import { createFlow, type Flow, until } from '../support/flow.ts'
import { call, createScriptedModel, say } from '../support/scripted-model.ts'
import { createWebPlace, page } from '../support/web/web-place.ts'

type Step = ModelAnswer | (() => Promise<ModelAnswer>)

/** A turn in which the model takes these steps; any other message is answered at once. */
function stepsFor(steps: readonly Step[]) {
  return createScriptedModel(async (request: ModelRequest) => {
    const begun = request.messages.findLastIndex(({ role }) => role === 'user')
    const user = request.messages[begun]
    if (user?.role !== 'user' || user.text !== 'go') return say('ready')
    const done = request.messages.slice(begun).filter(({ role }) => role === 'tool').length
    const step = steps[done]
    return typeof step === 'function' ? step() : (step ?? say('done'))
  })
}

/** A flow with a file in its workspace that has not changed for a while. */
async function openFlow(steps: (file: () => string) => readonly Step[]) {
  let file = ''
  const model = stepsFor(steps(() => file))
  const flow = await createFlow({ model })
  const id = await flow.act({ kind: 'message', text: 'hello' })
  await flow.quiet()
  file = join(flow.dataDir, 'workspaces', id, 'dir', 'a.txt')
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, 'one\n')
  // As the first box of root's workspace would, which changes the times of its files.
  if (process.getuid?.() === 0)
    for (const at of [file, dirname(file), dirname(dirname(file))]) await chown(at, 1000, 1000)
  await until(
    'the file has come to rest',
    async () => Date.now() - (await stat(file)).ctimeMs > 2_100,
  )
  return { flow, model }
}

async function callsOf({ database }: Flow) {
  const { rows } = await database.pool.query(
    `select c.tool, c.cached, c.result, c.verdict, t.result as text from audit_calls c
     join tool_call t on t.id = c.call_id order by c.at`,
  )
  return rows
}

describe('what is remembered in a turn', () => {
  test.each([
    ['read', { path: 'dir/a.txt' }, 'one'],
    ['grep', { pattern: 'on.' }, 'dir/a.txt:1: one'],
    ['find_path', { path: '.', pattern: '*.txt' }, 'dir/a.txt'],
    ['list_directory', { path: 'dir' }, '[file] a.txt'],
  ])(
    'OUT-11 a repeated %s is answered by the worker’s word that nothing changed',
    async (tool, args, text) => {
      const { flow } = await openFlow(() => [call(tool, args), call(tool, args)])
      await using _flow = flow
      await flow.say('go')
      expect(flow.platform.answers().at(-1)).toBe('done')
      const rows = await callsOf(flow)
      expect(rows).toMatchObject([
        { tool, cached: null, result: 'success', verdict: 'allow' },
        { tool, cached: true, result: 'success', verdict: 'allow' },
      ])
      expect(rows[0].text).toContain(text)
      expect(rows[1].text).toBe(rows[0].text)
    },
  )

  test('OUT-11 a file that somebody changes in between is read anew', async () => {
    const read = call('read', { path: 'dir/a.txt' })
    const { flow } = await openFlow((file) => [
      read,
      async () => {
        await writeFile(file(), 'two\n')
        return read
      },
    ])
    await using _flow = flow
    await flow.say('go')
    const rows = await callsOf(flow)
    expect(rows.map(({ cached }) => cached)).toEqual([null, null])
    expect(rows[1].text).toContain('two')
  })

  test('OUT-11 after a call that may change files they are read anew', async () => {
    const read = call('read', { path: 'dir/a.txt' })
    const write = call('write', { path: 'b.txt', content: 'x' })
    const { flow } = await openFlow(() => [read, write, read, read])
    await using _flow = flow
    await flow.say('go')
    const rows = await callsOf(flow)
    expect(rows.map(({ cached }) => cached)).toEqual([null, null, null, true])
  })
})

test('OUT-11 WEB-01 a page is fetched once for a session’s next turns, each asked for, and anew after /clear', async () => {
  await using place = await createWebPlace()
  place.routes.set('/page', page('text/html', '<h1>Hello</h1>'))
  const model = stepsFor([call('fetch', { url: place.url('/page') })])
  await using flow = await createFlow({
    model,
    workerTools: place.tools().tools,
    settings: { COUNTERSIGN_TOOLS_SCRAPE_ALLOWED_PORTS: String(place.port) },
  })
  for (const clears of [false, false, true]) {
    if (clears) await flow.say('/clear')
    await flow.say('go')
    await flow.decide({ kind: 'approve' })
  }
  const rows = await callsOf(flow)
  expect(rows.map(({ cached, verdict }) => [cached, verdict])).toEqual([
    [null, 'ask'],
    [true, 'ask'],
    [null, 'ask'],
  ])
  expect(rows[1].text).toBe(rows[0].text)
  expect(place.requests).toHaveLength(2)
})
