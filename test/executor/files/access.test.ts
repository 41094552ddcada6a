import { link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { type Client, errorOf, outputOf, startClient } from '../client.ts'

vi.setConfig({ testTimeout: 120_000 })

let client: Client

beforeEach(async () => {
  client = await startClient()
  await mkdir(join(client.root, 'outside'))
  await mkdir(join(client.root, 'ws-evil'))
  await writeFile(join(client.root, 'outside/secret'), 'the secret')
  await writeFile(join(client.root, 'ws-evil/file'), 'the secret')
  await mkdir(join(client.workspace, 'sub'))
  await writeFile(join(client.workspace, '.env'), 'KEY=the secret')
  await writeFile(join(client.workspace, 'sub/.ENV'), 'KEY=the secret')
  await writeFile(join(client.workspace, 'sub/plain'), 'plain text')
  return () => client[Symbol.asyncDispose]()
})

test('FILE-01 roots are compared by whole path segments', async () => {
  const path = join(client.root, 'ws-evil/file')
  expect(errorOf(await client.call('read', { path })).category).toBe('policy_blocked')
  expect(errorOf(await client.call('read', { path: '../ws-evil/file' })).category).toBe(
    'policy_blocked',
  )
})

test('FILE-01 if allowed paths are set, only they count, and the workspace only if it is listed', async () => {
  const outside = join(client.root, 'outside')
  client.rules = { ...client.rules, allowed: [outside] }
  expect(outputOf(await client.call('read', { path: join(outside, 'secret') }))).toContain('secret')
  const own = await client.call('read', { path: 'sub/plain' })
  expect(errorOf(own).category).toBe('policy_blocked')
})

test('THREAT-1 a link is answered with its target, and nothing is done', async () => {
  await symlink('.env', join(client.workspace, 'innocent'))
  const read = await client.call('read', { path: 'innocent' })
  expect(read).toEqual({ kind: 'elsewhere', canonical: [join(client.workspace, '.env')] })
  const write = await client.call('write', { path: 'innocent', content: 'x' })
  expect(write.kind).toBe('elsewhere')
  expect(await readFile(join(client.workspace, '.env'), 'utf8')).toBe('KEY=the secret')
})

test('THREAT-1 once the gate judged the canonical path, the same call runs', async () => {
  await symlink('sub', join(client.workspace, 'dir'))
  const judged = [join(client.workspace, 'sub/plain')]
  const outcome = await client.call('read', { path: 'dir/plain' }, { judged })
  expect(outputOf(outcome)).toContain('plain text')
})

test('THREAT-1 a path that was not judged is not touched', async () => {
  const outcome = await client.call('read', { path: 'sub/plain' }, { judged: [] })
  expect(outcome.kind).toBe('elsewhere')
})

test('THREAT-1 a path below a linked directory is elsewhere, also when it does not exist yet', async () => {
  await symlink(join(client.root, 'outside'), join(client.workspace, 'dir'))
  const outcome = await client.call('write', { path: 'dir/new', content: 'x' })
  expect(outcome).toEqual({ kind: 'elsewhere', canonical: [join(client.root, 'outside/new')] })
  const judged = [join(client.root, 'outside/new')]
  const again = await client.call('write', { path: 'dir/new', content: 'x' }, { judged })
  expect(errorOf(again).category).toBe('policy_blocked')
  expect(await readdir(join(client.root, 'outside'))).toEqual(['secret'])
})

test('FILE-03 nothing is created through a dangling link', async () => {
  await symlink(join(client.root, 'outside/new'), join(client.workspace, 'dead'))
  await symlink('new', join(client.workspace, 'dead-inside'))
  const outside = await client.call('write', { path: 'dead', content: 'x' })
  expect(errorOf(outside)).toMatchObject({ category: 'policy_blocked' })
  const inside = await client.call('write', { path: 'dead-inside', content: 'x' })
  expect(errorOf(inside).message).toContain('leads nowhere')
  expect(await readdir(join(client.root, 'outside'))).toEqual(['secret'])
  expect(await readdir(client.workspace)).not.toContain('new')
})

test('GATE-07 a workspace that is itself reached through a link needs no second judgement', async () => {
  const named = join(client.root, 'named')
  await symlink(client.workspace, named)
  client.rules = { ...client.rules, workspace: named }
  const judged = [join(named, 'sub/plain')]
  expect(outputOf(await client.call('read', { path: 'sub/plain' }, { judged }))).toContain('plain')
  await symlink('sub', join(client.workspace, 'dir'))
  const through = await client.call(
    'read',
    { path: 'dir/plain' },
    { judged: [join(named, 'dir/plain')] },
  )
  expect(through).toEqual({ kind: 'elsewhere', canonical: judged })
})

test('FILE-02 deny_read applies to read, edit and previews in any case of letters, except for allow_read', async () => {
  client.rules = { ...client.rules, denyRead: ['*.env'], allowRead: [] }
  for (const path of ['.env', 'sub/.ENV', './sub/../.env']) {
    expect(errorOf(await client.call('read', { path })).category).toBe('policy_blocked')
    expect(errorOf(await client.call('grep', { pattern: 'KEY', path })).category).toBe(
      'policy_blocked',
    )
    const edit = { path, old_string: 'KEY', new_string: 'X' }
    expect(errorOf(await client.call('edit', edit)).category).toBe('policy_blocked')
    const write = await client.call('write', { path, content: 'x' }, { preview: true })
    expect(JSON.stringify(write)).not.toContain('the secret')
  }
  client.rules = { ...client.rules, allowRead: ['.env'] }
  expect(outputOf(await client.call('read', { path: '.env' }))).toContain('KEY')
})

test('FILE-02 an absolute allow_read path may be read and not written', async () => {
  const path = join(client.root, 'outside/secret')
  client.rules = { ...client.rules, allowRead: [join(client.root, 'outside/**')] }
  expect(outputOf(await client.call('read', { path }))).toContain('the secret')
  const write = await client.call('write', { path, content: 'x' })
  expect(errorOf(write).category).toBe('policy_blocked')
  expect(await readFile(path, 'utf8')).toBe('the secret')
})

test.each([
  ['deny_read', { denyRead: ['*.env'] }],
  ['a deny rule', { denyByRule: ['*.env'] }],
])('GATE-07 %s hides entries from grep, find_path and list_directory', async (_name, rules) => {
  client.rules = { ...client.rules, ...rules }
  expect(outputOf(await client.call('grep', { pattern: 'secret|plain' }))).toBe(
    'sub/plain:1: plain text',
  )
  expect(outputOf(await client.call('find_path', { path: '.', pattern: '**' }))).toBe(
    'sub\nsub/plain',
  )
  expect(outputOf(await client.call('list_directory', { path: '.' }))).toBe('[dir] sub')
})

test('GATE-07 a deny rule without wildcard also covers what lies below', async () => {
  client.rules = { ...client.rules, denyByRule: ['sub'] }
  expect(outputOf(await client.call('grep', { pattern: 'secret|plain' }))).toBe(
    '.env:1: KEY=the secret',
  )
})

test('GATE-07 a deny rule that cannot be checked refuses the call, and is never skipped', async () => {
  client.rules = { ...client.rules, denyByRule: ['!(a)'] }
  const outcome = await client.call('read', { path: 'sub/plain' })
  expect(errorOf(outcome)).toMatchObject({
    category: 'policy_blocked',
    message: expect.stringContaining('!(a)'),
  })
})

test('THREAT-10 masked paths are neither read nor changed nor shown, also through links', async () => {
  client.rules = { ...client.rules, masked: [join(client.workspace, 'sub')], allowRead: ['**'] }
  await symlink('sub', join(client.workspace, 'dir'))
  const judged = [join(client.workspace, 'sub/plain')]
  for (const path of ['sub/plain', 'dir/plain']) {
    for (const [tool, more] of [
      ['read', {}],
      ['write', { content: 'x' }],
      ['edit', { old_string: 'plain', new_string: 'x' }],
      ['create_directory', {}],
    ] as const) {
      const outcome = await client.call(tool, { path, ...more }, { judged })
      expect(errorOf(outcome).category).toBe('policy_blocked')
    }
  }
  expect(outputOf(await client.call('grep', { pattern: 'plain' }))).toBe('(nothing found)')
  expect(outputOf(await client.call('list_directory', { path: '.' }))).not.toContain('sub')
  expect(await readFile(join(client.workspace, 'sub/plain'), 'utf8')).toBe('plain text')
})

test('FILE-03 a write replaces a hard link instead of writing through it', async () => {
  await link(join(client.root, 'outside/secret'), join(client.workspace, 'hard'))
  await client.call('write', { path: 'hard', content: 'x' })
  expect(await readFile(join(client.root, 'outside/secret'), 'utf8')).toBe('the secret')
})

test('FILE-03 a file with further hard links reports so when it is read, and when they keep the old contents', async () => {
  const at = (name: string) => join(client.workspace, name)
  await writeFile(at('one'), 'old words\n')
  for (const name of ['two', 'three']) await link(at('one'), at(name))
  const ask = async (tool: string, args: object) => outputOf(await client.call(tool, { ...args }))
  const reading =
    '     1\told words\n(this file has 2 other names (hard links), maybe in another place)'
  expect(await ask('read', { path: 'two' })).toBe(reading)
  const edited = await ask('edit', { path: 'two', old_string: 'old', new_string: 'new' })
  expect(edited).toMatch(
    /^Edited two \(1 replacement\)\n\(the file had 2 other names \(hard links\): what it held is still there\)\n---/,
  )
  expect(await readFile(at('one'), 'utf8')).toBe('old words\n')
  expect(await ask('write', { path: 'one', content: 'x' })).toBe(
    'Wrote 1 bytes to one\n(the file had 1 other name (a hard link): what it held is still there)',
  )
  // Each has one name now.
  expect(await ask('read', { path: 'three' })).toBe('     1\told words')
  expect(await ask('write', { path: 'two', content: 'y' })).toBe('Wrote 1 bytes to two')
})

test('GATE-12 BOX-07 the data directory is protected except for the workspace in it', async () => {
  const dataDir = dirname(client.workspace)
  client.rules = { ...client.rules, masked: [dataDir], allowed: [dataDir] }
  await writeFile(join(client.workspace, 'mine'), 'mine')
  expect(outputOf(await client.call('read', { path: 'mine' }))).toContain('mine')
  const outside = await client.call('list_directory', { path: dataDir })
  expect(errorOf(outside).category).toBe('policy_blocked')
})

test('THREAT-10 a masked path that does not exist or cannot be resolved refuses nothing else', async () => {
  await symlink('nowhere', join(client.workspace, 'dead'))
  const masked = ['/no/such/place', join(client.workspace, 'dead/below')]
  client.rules = { ...client.rules, masked }
  expect(outputOf(await client.call('read', { path: 'sub/plain' }))).toContain('plain text')
})
