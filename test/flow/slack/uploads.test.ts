import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditRows } from '../../support/audit-rows.ts'
import { say } from '../../support/scripted-model.ts'
import type { ChannelHandle } from '../../support/slack/people/channel-handle.ts'
import { openStage, type Stage, wordsOf } from './stage.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

async function uploadsOf({ flow }: Stage): Promise<Readonly<Record<string, string>>> {
  const rooms = await readdir(join(flow.dataDir, 'workspaces')).catch(() => [])
  const found = await Promise.all(
    rooms.map(async (room) => {
      const directory = join(flow.dataDir, 'workspaces', room, 'uploads')
      const names = await readdir(directory).catch(() => [])
      return Promise.all(
        names.map(async (name) => [name, await readFile(join(directory, name), 'utf8')] as const),
      )
    }),
  )
  return Object.fromEntries(found.flat())
}

describe('files from people in Slack', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('CHAT-07 SLACK-01 several files of a message land in the workspace, and the model is told of them with its words', async () => {
    const { flow, scenes } = stage
    const scene = scenes.on('compare these', say('Alike.'))
    const ada = stage.guest()
    const dm = flow.slack.dm(ada)
    const files = [
      { name: 'a.csv', bytes: bytes('a,b') },
      { name: 'b.csv', bytes: bytes('a,c') },
    ]
    dm.say(ada, 'compare these', { files })
    await dm.waitForText('Alike.')
    expect(wordsOf(dm)).toEqual(['Saved uploads/a.csv, uploads/b.csv.', 'Alike.'])
    expect(scene.lastHeard()).toBe(
      'compare these\n\n[Files that came with this message]\n- uploads/a.csv (3 bytes, text/csv)\n- uploads/b.csv (3 bytes, text/csv)',
    )
    expect(await uploadsOf(stage)).toEqual({ 'a.csv': 'a,b', 'b.csv': 'a,c' })
    const rows = (await auditRows(flow.db)).filter(({ tool }) => tool === 'put_file')
    const callers = new Set(rows.map(({ caller_id }) => caller_id))
    expect([...callers]).toEqual([`slack:${ada.teamId}:${ada.id}`])
  })

  test('CHAT-07 SLACK-01 in a channel a file of a message that mentions the app is taken', async () => {
    const { flow, scenes } = stage
    scenes.on('keep it', say('Kept.'))
    const ada = stage.guest()
    const channel = flow.slack.channel({ name: 'files', members: [ada] })
    channel.say(ada, `${flow.slack.mention} keep it`, {
      files: [{ name: 'c.txt', bytes: bytes('c') }],
    })
    await channel.waitForText('Kept.')
    expect(await uploadsOf(stage)).toMatchObject({ 'c.txt': 'c' })
  })

  test('CHAT-07 of a file of another organisation Slack is asked first', async () => {
    const { flow, scenes } = stage
    const scene = scenes.on('[Files that came', say('Thanks.'))
    const ada = stage.guest()
    const dm = flow.slack.dm(ada)
    const file = { name: 'shared.txt', bytes: bytes('shared'), mustBeAskedFor: true }
    dm.say(ada, '', { files: [file] })
    await dm.waitForText('Thanks.')
    expect(scene.lastHeard()).toContain('- uploads/shared.txt (6 bytes, text/plain)')
  })

  test('CHAT-07 THREAT-14 of a file that is kept elsewhere nothing is fetched: the token goes to Slack alone', async () => {
    const seen: string[] = []
    const server = createServer((request, response) => {
      seen.push(`${request.url} ${request.headers.authorization}`)
      response.end('gotcha')
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const { flow, scenes } = stage
    scenes.on('and this', say('No.'))
    const ada = stage.guest()
    const dm = flow.slack.dm(ada)
    const externalUrl = `http://127.0.0.1:${port}/doc`
    dm.say(ada, 'and this', { files: [{ name: 'plan', bytes: bytes('x'), externalUrl }] })
    await dm.waitForText('No.')
    expect(wordsOf(dm)).toContain('“plan” was not taken: it is stored outside the platform.')
    expect(seen).toEqual([])
    await new Promise((done) => server.close(done))
  })

  test('CHAT-07 one over 20 MB is refused in a line, and its caption is taken', async () => {
    const { flow, scenes } = stage
    const scene = scenes.on('see the film', say('Which one?'))
    const ada = stage.guest()
    const dm = flow.slack.dm(ada)
    const large = { name: 'film.mov', bytes: new Uint8Array(20 * 1024 * 1024 + 1) }
    dm.say(ada, 'see the film', { files: [large] })
    await dm.waitForText('Which one?')
    expect(wordsOf(dm)[0]).toBe('“film.mov” is larger than 20 MB and was not taken.')
    expect(scene.lastHeard()).toBe('see the film')
  })

  test('CHAT-01 CHAT-07 of a stranger nothing is fetched', async () => {
    const { flow } = stage
    const mallory = stage.stranger()
    const dm = flow.slack.dm(mallory)
    dm.say(mallory, 'take it', { files: [{ name: 'm.txt', bytes: bytes('m') }] })
    await dm.waitForText('This bot works for invited people only.')
    expect(
      await flow.db.selectFrom('upload').select('id').where('name', '=', 'm.txt').execute(),
    ).toEqual([])
  })
})

describe('an app that may not read files', () => {
  test('CHAT-07 SLACK-04 is shown where to sign in: the person is told which scope is missing, and no page is saved', async () => {
    const scopes = [
      'app_mentions:read',
      'assistant:write',
      'chat:write',
      'files:write',
      'im:history',
      'users:read',
    ]
    await using stage = await openStage({ slack: { scopes } })
    const { flow, scenes } = stage
    scenes.on('read it', say('I cannot.'))
    const ada = stage.guest()
    const dm: ChannelHandle = flow.slack.dm(ada)
    for (const mustBeAskedFor of [false, true]) {
      const name = `page-${mustBeAskedFor}.html`
      const file = { name, bytes: bytes('<p>x</p>'), mimeType: 'text/html', mustBeAskedFor }
      dm.say(ada, 'read it', { files: [file] })
    }
    const words = 'was not taken: the app may not read files: it needs the scope files:read'
    await dm.waitForText('I cannot.')
    await flow.slack.waitFor(() => wordsOf(dm).filter((text) => text.includes(words)).length === 2)
    expect(await uploadsOf(stage)).toEqual({})
  })
})
