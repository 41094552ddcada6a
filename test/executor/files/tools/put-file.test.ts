import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  lstat,
  lutimes,
  mkdir,
  readdir,
  readFile,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sha256 } from '../../../../src/util/digest.ts'
import { type Client, startClient } from '../../client.ts'

let client: Client
beforeEach(async () => {
  client = await startClient()
})
afterEach(() => client[Symbol.asyncDispose]())

const put = (name: string, text = 'new', extra: object = {}) => {
  const args = { path: `uploads/${name}`, bytes: Buffer.byteLength(text), sha256: sha256(text) }
  return client.call('put_file', args, {
    content: Buffer.from(text).toString('base64'),
    ...extra,
  })
}
const at = (path: string) => join(client.workspace, path)
const error = (category: string, message: string | RegExp) => ({
  kind: 'error',
  error: { category, message: expect.stringMatching(message) },
})

describe('put_file', () => {
  test('CHAT-07 creates uploads and the file, readable and never executable', async () => {
    expect(await put('a.txt')).toEqual({ kind: 'ok', output: 'Saved uploads/a.txt (3 bytes)' })
    expect(await readFile(at('uploads/a.txt'), 'utf8')).toBe('new')
    expect((await lstat(at('uploads/a.txt'))).mode & 0o7777).toBe(0o644)
    expect(await readdir(at('uploads'))).toEqual(['a.txt'])
  })

  test('CHAT-07 never writes over or through an existing entry: a file, a directory, a link, a dead link, a pipe', async () => {
    await mkdir(at('uploads/b.txt'), { recursive: true })
    await writeFile(at('uploads/a.txt'), 'old')
    await writeFile(at('target'), 'old')
    await symlink('../target', at('uploads/a-2.txt'))
    await symlink('../nothing', at('uploads/a-3.txt'))
    await once(spawn('mkfifo', [at('uploads/a-4.txt')]), 'close')
    expect(await put('a.txt')).toMatchObject({ output: 'Saved uploads/a-5.txt (3 bytes)' })
    expect(await put('b.txt')).toMatchObject({ output: 'Saved uploads/b-2.txt (3 bytes)' })
    expect(await readFile(at('uploads/a.txt'), 'utf8')).toBe('old')
    expect(await readFile(at('target'), 'utf8')).toBe('old')
    expect(await readdir(client.workspace)).not.toContain('nothing')
  })

  test('CHAT-07 two concurrent uploads with one name become two files', async () => {
    await Promise.all(['one', 'two', 'six', 'ten'].map((text) => put('a.txt', text)))
    const names = (await readdir(at('uploads'))).toSorted()
    expect(names).toEqual(['a-2.txt', 'a-3.txt', 'a-4.txt', 'a.txt'])
    const texts = await Promise.all(names.map((name) => readFile(at(`uploads/${name}`), 'utf8')))
    expect(texts.toSorted()).toEqual(['one', 'six', 'ten', 'two'])
  })

  test('CHAT-07 REL-01 removes temporary files of killed writers once no process can be writing them, and nothing else', async () => {
    await mkdir(at('uploads'))
    await writeFile(at('target'), 'old')
    const draft = (digit: string) => at(`uploads/.countersign-${digit.repeat(18)}`)
    await writeFile(draft('a'), 'half')
    await writeFile(draft('b'), 'being written')
    await symlink('../target', draft('c'))
    await writeFile(at('uploads/.countersign-notes'), 'somebody’s own')
    const old = new Date(Date.now() - 11 * 60_000)
    for (const path of [draft('a'), at('uploads/.countersign-notes')]) await utimes(path, old, old)
    await lutimes(draft('c'), old, old)
    await put('a.txt')
    const hidden = ['b', 'c'].map((digit) => `.countersign-${digit.repeat(18)}`)
    const left = (await readdir(at('uploads'))).toSorted()
    expect(left).toEqual([...hidden, '.countersign-notes', 'a.txt'])
    expect(await readFile(at('target'), 'utf8')).toBe('old')
  })

  test.each([
    ['a link to a directory', () => symlink('real', at('uploads'))],
    ['a link to the outside', () => symlink(client.root, at('uploads'))],
    ['a dead link', () => symlink('nowhere', at('uploads'))],
    ['a file', () => writeFile(at('uploads'), 'old')],
  ])('CHAT-07 is refused if uploads is %s', async (_, make) => {
    await mkdir(at('real'))
    await make()
    const before = await readdir(client.root)
    expect(await put('a.txt')).toMatchObject({ kind: 'error' })
    expect(await readdir(at('real'))).toEqual([])
    expect(await readdir(client.root)).toEqual(before)
    expect(await readdir(client.workspace)).not.toContain('nowhere')
  })

  test('CHAT-07 accepts only a file directly below uploads', async () => {
    for (const path of [
      'a.txt',
      '../a',
      'uploads',
      'uploads/',
      'uploads/..',
      'uploads/.a',
      'uploads/d/a',
      '/uploads/a',
    ]) {
      const args = { path, bytes: 3, sha256: sha256('new') }
      const outcome = await client.call('put_file', args, { content: 'bmV3' })
      expect(outcome, path).toMatchObject(error('invalid_parameters', /^path: /))
    }
    expect(await readdir(client.workspace)).toEqual([])
  })

  test('CHAT-07 GATE-07 a path that was not judged, is masked or denied by a rule is not written, also under another number', async () => {
    expect(await put('a.txt', 'new', { judged: [at('uploads/b.txt')] })).toMatchObject({
      kind: 'elsewhere',
    })
    await put('a.txt')
    client.rules = { ...client.rules, denyByRule: [`${client.workspace}/uploads/a-2.txt`] }
    expect(await put('a.txt')).toMatchObject(
      error('policy_blocked', /a-2\.txt is denied by a rule/),
    )
    client.rules = { ...client.rules, allowed: [at('src')] }
    expect(await put('c.txt')).toMatchObject(error('policy_blocked', /outside/))
    expect(await readdir(at('uploads'))).toEqual(['a.txt'])
  })

  test.each([
    [{ denyByRule: ['**/.env*'] }],
    [{ denyByRule: ['**/.env'] }],
    [{ denyRead: ['**/.env*'] }],
    [{ denyRead: ['uploads/.env'] }],
  ])(
    'CHAT-07 THREAT-27 GATE-07 a file that was sent as .env is shown by no tool where %j denies that name',
    async (denied) => {
      await put('dot.env', 'secret=1')
      expect(await put('dot.env', 'secret=2')).toMatchObject({
        output: 'Saved uploads/dot-2.env (8 bytes)',
      })
      await put('env', 'plain=1')
      client.rules = { ...client.rules, ...denied }
      const found = await client.call('grep', { pattern: '=', path: '.' })
      expect(JSON.stringify(found)).toContain('plain=1')
      expect(JSON.stringify(found)).not.toContain('secret')
      const listed = await client.call('list_directory', { path: 'uploads' })
      expect(JSON.stringify(listed)).not.toContain('dot')
      if (!('denyRead' in denied)) return
      const refused = { kind: 'error', error: { category: 'policy_blocked' } }
      expect(await client.call('read', { path: 'uploads/dot-2.env' })).toMatchObject(refused)
    },
  )

  test('CHAT-07 content that differs from the arguments is not written', async () => {
    for (const content of [undefined, 'b2xk', '']) {
      expect(await put('a.txt', 'new', { content })).toMatchObject(
        error('invalid_parameters', /^content: /),
      )
    }
    expect(await readdir(client.workspace)).toEqual([])
  })
})

describe('put_file while uploads is swapped for a link to the outside', () => {
  let swapper: ChildProcess
  const swap = `while :; do mv -T uploads u.real 2>/dev/null; ln -sT "$OUT" uploads
    rm -f uploads; mv -T u.real uploads 2>/dev/null || rm -rf u.real; done`
  beforeEach(async () => {
    await mkdir(join(client.root, 'outside'))
    await mkdir(at('uploads'))
    swapper = spawn('bash', ['-c', swap], {
      cwd: client.workspace,
      env: { PATH: process.env['PATH'] ?? '', OUT: join(client.root, 'outside') },
      stdio: 'ignore',
    })
  })
  afterEach(async () => {
    const gone = once(swapper, 'close')
    swapper.kill('SIGKILL')
    await gone
  })

  test('CHAT-07 THREAT-1 nothing is written there in 300 tries', async () => {
    const kinds = new Set<string>()
    for (let round = 0; round < 300; round += 1) kinds.add((await put('a.txt')).kind)
    expect(await readdir(join(client.root, 'outside'))).toEqual([])
    expect([...kinds]).toContain('ok')
  }, 120_000)
})
