import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sha256 } from '../../../src/util/digest.ts'
import { auditRows } from '../../support/audit-rows.ts'
import { describeWithRedis } from '../../support/database/describe-with-redis.ts'
import { startRedis } from '../../support/database/redis.ts'
import { until } from '../../support/flow.ts'
import { call, say } from '../../support/scripted-model.ts'
import { cardOf, type Guest, openStage, type Stage, toGuest, wordsOf } from './stage.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

describe('files from people', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const conversationOf = async ({ id }: Pick<Guest, 'id'>) => {
    const row = await stage.flow.db
      .selectFrom('conversation')
      .select('id')
      .where('external_id', '=', String(id))
      .executeTakeFirstOrThrow()
    return row.id
  }
  const workspaceOf = async (guest: Pick<Guest, 'id'>) =>
    join(stage.flow.dataDir, 'workspaces', await conversationOf(guest))
  const uploadsOf = async (guest: Pick<Guest, 'id'>) =>
    (await readdir(join(await workspaceOf(guest), 'uploads'))).toSorted()

  test('CHAT-07 a document lands in the workspace, is audited as the person’s own, and the model is told where it is', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    const scene = scenes.on('what does it say', say('It says hello.'))
    const file = { name: 'report.pdf', bytes: bytes('hello'), mimeType: 'application/pdf' }
    ada.chat.sendDocument(ada.user, file, { caption: 'what does it say' })
    await ada.chat.waitForText('It says hello.')
    await flow.settled(ada.id)
    expect(wordsOf(ada.chat)).toEqual(['Saved uploads/report.pdf.', 'It says hello.'])
    const path = join(await workspaceOf(ada), 'uploads', 'report.pdf')
    expect(await readFile(path, 'utf8')).toBe('hello')
    expect((await lstat(path)).mode & 0o777).toBe(0o644)
    expect(scene.lastHeard()).toBe(
      'what does it say\n\n[Files that came with this message]\n- uploads/report.pdf (5 bytes, application/pdf)',
    )
    const rows = await auditOf(ada)
    expect(rows.map(({ kind, caller_id, result }) => [kind, caller_id, result])).toEqual([
      ['decided', `telegram:${ada.user.id}`, null],
      ['settled', `telegram:${ada.user.id}`, 'success'],
    ])
    const told = JSON.parse(rows[0]?.body ?? '')
    const digest = sha256('hello')
    const facts = { path: 'uploads/report.pdf', bytes: 5, sha256: digest }
    expect(JSON.parse(told.arguments)).toEqual(facts)
    expect(told.note).toBe('a person’s own file')
  })

  test('CHAT-07 an album is one message, and photos are called by their time', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    const scene = scenes.on('compare them', say('Alike.'))
    const album = { album: '77' }
    ada.chat.sendPhoto(ada.user, { caption: 'compare them', ...album })
    ada.chat.sendPhoto(ada.user, album)
    ada.chat.sendPhoto(ada.user, album)
    await ada.chat.waitForText('Alike.')
    await flow.settled(ada.id)
    expect(scene.requests).toHaveLength(1)
    expect(wordsOf(ada.chat)).toHaveLength(2)
    const names = await uploadsOf(ada)
    expect(names).toHaveLength(3)
    for (const name of names) {
      expect(name).toMatch(/^photo-\d{4}-\d\d-\d\d-\d{6}(?:-\d)?\.jpg$/)
      expect(scene.lastHeard()).toContain(`- uploads/${name} (4 bytes, image/jpeg)`)
    }
  })

  test('CHAT-07 TG-04 in a group the whole album is taken where its caption is for the bot, and nothing else', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    const bob = stage.guest('Bob')
    const chat = flow.telegram.group({ id: -100_701, title: 'Ops', members: [ada.user, bob.user] })
    scenes.on('file these', say('Filed.'))
    const at = `@${flow.telegram.bot.username}`
    chat.sendPhoto(ada.user, { album: '5' })
    chat.sendPhoto(bob.user, { caption: `${at} file these`, album: '6' })
    chat.sendPhoto(bob.user, { album: '6' })
    chat.sendPhoto(ada.user, { album: '6' })
    await chat.waitForText('Filed.')
    await flow.settled(chat.id)
    expect(await uploadsOf(toGuest(bob.user, chat))).toHaveLength(2)
  })

  test('CHAT-07 nothing is ever written over, and a number tells them apart', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    scenes.on('take this', say('Taken.'))
    const send = (text: string) =>
      ada.chat.sendDocument(
        ada.user,
        { name: 'a.txt', bytes: bytes(text) },
        { caption: `take this` },
      )
    send('one')
    await ada.chat.waitForText('Taken.')
    send('two')
    await ada.chat.waitForText('Saved uploads/a-2.txt.')
    await flow.settled(ada.id)
    const directory = join(await workspaceOf(ada), 'uploads')
    expect(await readFile(join(directory, 'a.txt'), 'utf8')).toBe('one')
    expect(await readFile(join(directory, 'a-2.txt'), 'utf8')).toBe('two')
  })

  test('CHAT-07 a name is made harmless, and a file without words is a message of its own', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    const scene = scenes.on('[Files that came', say('Thanks.'))
    ada.chat.sendDocument(ada.user, { name: '../../.ssh/\u202Eauthorized_keys', bytes: bytes('x') })
    await ada.chat.waitForText('Thanks.')
    await flow.settled(ada.id)
    expect(await uploadsOf(ada)).toEqual(['_.._.ssh_authorized_keys'])
    expect(scene.lastHeard()).toContain('- uploads/_.._.ssh_authorized_keys (1 bytes')
  })

  test('CHAT-07 THREAT-27 what would be hidden is shown under a name that rules know, and .env is not taken', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    scenes.on('my setup', say('Thanks.'))
    scenes.on('my keys', say('I have none.'))
    ada.chat.sendDocument(ada.user, { name: '.bashrc', bytes: bytes('x') }, { caption: 'my setup' })
    await ada.chat.waitForText('Thanks.')
    ada.chat.sendDocument(ada.user, { name: '.env', bytes: bytes('x') }, { caption: 'my keys' })
    await ada.chat.waitForText('I have none.')
    await ada.chat.waitForText('“dot.env” was not saved: ')
    await flow.settled(ada.id)
    expect(await uploadsOf(ada)).toEqual(['dot.bashrc'])
  })

  test('CHAT-07 BOX-02 where uploads is a link or a file, nothing is put through it', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    const bob = stage.guest('Bob')
    scenes.on('hello', say('Hello.'))
    for (const { chat, user } of [ada, bob]) chat.send(user, 'hello')
    await ada.chat.waitForText('Hello.')
    await bob.chat.waitForText('Hello.')
    const adas = await workspaceOf(ada)
    const bobs = await workspaceOf(bob)
    await mkdir(join(adas, 'elsewhere'), { recursive: true })
    await symlink('elsewhere', join(adas, 'uploads'))
    await mkdir(bobs, { recursive: true })
    await writeFile(join(bobs, 'uploads'), 'a file')
    const scene = scenes.on('and now', say('Pity.'))
    for (const { chat, user } of [ada, bob]) {
      chat.sendDocument(user, { name: 'a.txt', bytes: bytes('x') }, { caption: 'and now' })
      await chat.waitForText('Pity.')
      await chat.waitForText('“a.txt” was not saved: uploads: ')
    }
    await flow.settled(bob.id)
    expect(scene.lastHeard()).toMatch(/“a\.txt” was not saved: .*not a directory/)
    expect(await readdir(join(adas, 'elsewhere'))).toEqual([])
    expect(await readFile(join(bobs, 'uploads'), 'utf8')).toBe('a file')
    expect((await auditOf(ada)).at(-1)).toMatchObject({ kind: 'settled', result: 'error' })
    // POL-04: nobody can have it blocked for others by a workspace like this.
    const outcomes = flow.db
      .selectFrom('tool_outcome')
      .select('tool')
      .where('tool', '=', 'put_file')
    expect(await outcomes.execute()).toEqual([])
  })

  test('CHAT-07 one over 20 MB is refused in a line before anything is fetched, and its caption is taken', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    const scene = scenes.on('read it', say('I have none.'))
    const large = { name: 'film.mov', bytes: new Uint8Array(20 * 1024 * 1024 + 1) }
    ada.chat.sendDocument(ada.user, large)
    const refused = '“film.mov” is larger than 20 MB and was not taken.'
    await ada.chat.waitForText(refused)
    ada.chat.sendDocument(ada.user, large, { caption: 'read it' })
    await ada.chat.waitForText('I have none.')
    await flow.settled(ada.id)
    expect(wordsOf(ada.chat)).toEqual([refused, refused, 'I have none.'])
    expect(scene.lastHeard()).toBe('read it')
  })

  test('CHAT-07 one of exactly 20 MB is taken whole', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    scenes.on('store it', say('Stored.'))
    const content = new Uint8Array(20 * 1024 * 1024).map((_, index) => index % 251)
    ada.chat.sendDocument(ada.user, { name: 'large.bin', bytes: content }, { caption: 'store it' })
    await ada.chat.waitForText('Stored.', { timeoutMs: 90_000 })
    await flow.settled(ada.id)
    const stored = await readFile(join(await workspaceOf(ada), 'uploads', 'large.bin'))
    expect(sha256(stored)).toBe(sha256(content))
  })

  test('CHAT-01 CHAT-07 of a stranger nothing is fetched', async () => {
    const { flow } = stage
    const mallory = stage.stranger()
    const before = flow.telegram.calls.length
    mallory.chat.sendDocument(mallory.user, { name: 'a.txt', bytes: bytes('x') })
    await until('the stranger is answered', () => wordsOf(mallory.chat).length > 0)
    const since = flow.telegram.calls.slice(before).map(({ method }) => method)
    expect(since).not.toContain('getFile')
    expect(since).not.toContain('download')
  })

  test('CHAT-07 what cannot be fetched is tried again, and what is written behind it waits for it', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    const scene = scenes.on('[Files that came', say('Both.'))
    flow.telegram.failNext('download', { kind: 'status', code: 502 }, { kind: 'drop-before' })
    ada.chat.sendVoice(ada.user)
    ada.say('and what is it?')
    await ada.chat.waitForText('Both.')
    await flow.settled(ada.id)
    expect(flow.telegram.faultsLeft).toBe(0)
    const [request] = scene.requests
    const heard = request?.messages.filter(({ role }) => role === 'user').map(({ text }) => text)
    expect(heard?.[0]).toMatch(/uploads\/voice-.*\.ogg \(4 bytes, audio\/ogg\)$/)
    expect(heard).toHaveLength(2)
  })

  test('CHAT-07 what Telegram does not have any more is told of, and the caption is the message', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    scenes.on('look at it', say('At what?'))
    flow.telegram.failNext('getFile', {
      kind: 'status',
      code: 400,
      description: 'Bad Request: wrong file_id or the file is temporarily unavailable',
    })
    ada.chat.sendVideo(ada.user, { caption: 'look at it' })
    await ada.chat.waitForText('At what?')
    expect(wordsOf(ada.chat)).toEqual([
      '“film.mp4” was not taken: the platform no longer has it.',
      'At what?',
    ])
  })

  test('CHAT-07 CHAT-08 while a question waits a file is noted, and the model has it at its next step', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    const scene = scenes.on(
      'count them',
      call('bash', { command: 'ls uploads; true' }),
      say('Counted.'),
    )
    ada.say('count them')
    const card = await cardOf(ada.chat)
    ada.chat.sendDocument(
      ada.user,
      { name: 'b.txt', bytes: bytes('b') },
      { caption: 'this one too' },
    )
    await until('it is kept', async () => {
      const rows = await flow.db.selectFrom('message').select('body').execute()
      return rows.some(({ body }) => body === 'this one too')
    })
    ada.tap(card, 'Approve')
    await ada.chat.waitForText('Counted.')
    await flow.settled(ada.id)
    expect(scene.requests).toHaveLength(2)
    expect(scene.lastHeard()).toContain(
      'this one too\n\n[Files that came with this message]\n- uploads/b.txt',
    )
  })

  test('CHAT-07 LOOP-14 a file that waits when its turn is stopped is not put, and the person is told', async () => {
    const { flow, scenes } = stage
    const ada = stage.guest()
    scenes.on('wait for me', call('bash', { command: 'touch never; true' }), say('Over.'))
    ada.say('wait for me')
    await cardOf(ada.chat)
    ada.chat.sendDocument(ada.user, { name: 'late.txt', bytes: bytes('x') })
    await ada.chat.waitForText('Noted')
    ada.say('/stop')
    await ada.chat.waitForText('“late.txt” was not saved: it was stopped')
    await flow.settled(ada.id)
    expect(await readdir(await workspaceOf(ada)).catch(() => [])).not.toContain('uploads')
    scenes.on('go on', say('Gone on.'))
    ada.say('go on')
    await ada.chat.waitForText('Gone on.')
  })

  const auditOf = async (guest: Pick<Guest, 'id'>) => {
    const { db } = stage.flow
    const conversation = await conversationOf(guest)
    const sessions = await db
      .selectFrom('session')
      .select('id')
      .where('conversation_id', '=', conversation)
      .execute()
    const ids = new Set(sessions.map(({ id }) => id))
    return (await auditRows(db)).filter(
      ({ tool, session_id }) => tool === 'put_file' && ids.has(session_id ?? ''),
    )
  }
})

describe('where nothing may be written', () => {
  test('CHAT-07 GATE-02 a rule that denies writing denies uploads, and the person is told', async () => {
    await using stage = await openStage()
    const rules = join(stage.flow.dataDir, 'workers', 'default', 'permissions.jsonc')
    await writeFile(rules, '{ "*": "ask", "write": "deny" }')
    const ada = stage.guest()
    stage.scenes.on('take it', say('I cannot.'))
    ada.chat.sendDocument(ada.user, { name: 'a.txt', bytes: bytes('x') }, { caption: 'take it' })
    await ada.chat.waitForText('I cannot.')
    await ada.chat.waitForText('“a.txt” was not saved: ')
  })
})

describe('other places', () => {
  test('CHAT-07 BASH-07 where the workspace is kept, /undo takes a file back too', async () => {
    const settings = { COUNTERSIGN_TOOLS_SHELL_TRANSACTIONAL: 'true' }
    await using stage = await openStage({ settings })
    const ada = stage.guest()
    stage.scenes.on('take it', say('Taken.'))
    ada.chat.sendDocument(ada.user, { name: 'a.txt', bytes: bytes('x') }, { caption: 'take it' })
    await ada.chat.waitForText('Saved uploads/a.txt.')
    await ada.chat.waitForText('Taken.')
    ada.say('/undo')
    await ada.chat.waitForText('Undone: ')
  })

  test('CHAT-07 where no tools are enabled the person is told that the file has no place', async () => {
    await using stage = await openStage({ settings: { COUNTERSIGN_TOOLS_ENABLED: 'false' } })
    const ada = stage.guest()
    stage.scenes.on('take it', say('I cannot.'))
    ada.chat.sendDocument(ada.user, { name: 'a.txt', bytes: bytes('x') }, { caption: 'take it' })
    await ada.chat.waitForText('I cannot.')
    await ada.chat.waitForText('“a.txt” was not saved: ')
    expect(wordsOf(ada.chat).join()).toContain('no tools are enabled here')
  })
})

describeWithRedis('files through Redis', () => {
  test('CHAT-07 STORE-02 one of 20 MB travels whole', async () => {
    await using redis = await startRedis()
    await using stage = await openStage({ settings: { REDIS_URL: redis.url } })
    const ada = stage.guest()
    stage.scenes.on('store it', say('Stored.'))
    const content = new Uint8Array(20 * 1024 * 1024).map((_, index) => index % 251)
    ada.chat.sendDocument(ada.user, { name: 'large.bin', bytes: content }, { caption: 'store it' })
    await ada.chat.waitForText('Stored.', { timeoutMs: 90_000 })
    const rows = await stage.flow.db
      .selectFrom('tool_call')
      .select(['state', 'arguments'])
      .execute()
    expect(rows).toMatchObject([{ state: 'succeeded' }])
    expect(rows[0]?.arguments).toContain(sha256(content))
    expect(rows[0]?.arguments.length).toBeLessThan(200)
  })
})
