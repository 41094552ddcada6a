import { execFileSync } from 'node:child_process'
import {
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { type Client, errorOf, outputOf, startClient } from '../client.ts'

vi.setConfig({ testTimeout: 120_000 })

let client: Client

beforeEach(async () => {
  client = await startClient()
  await mkdir(join(client.root, 'outside'))
  await writeFile(join(client.root, 'outside/secret'), 'the secret')
  return () => client[Symbol.asyncDispose]()
})

async function put(path: string, content = path): Promise<string> {
  const file = join(client.workspace, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, content)
  return file
}

/** Lists paths, links and contents below a directory of the workspace. */
async function treeOf(path = '.'): Promise<Readonly<Record<string, string>>> {
  const root = join(client.workspace, path)
  const names = (await readdir(root, { recursive: true })).sort()
  const entries = names.map(async (name) => [name, await contentOf(join(root, name))] as const)
  return Object.fromEntries(await Promise.all(entries))
}

async function contentOf(path: string): Promise<string> {
  const found = await lstat(path)
  if (found.isSymbolicLink()) return `-> ${await readlink(path)}`
  if (found.isDirectory()) return 'directory'
  return found.isFile() ? readFile(path, 'utf8') : 'special'
}

const remove = (path: string, more = {}) => client.call('delete_path', { path, ...more })
const move = (source: string, destination: string) =>
  client.call('move_path', { source, destination })
const copy = (source: string, destination: string) =>
  client.call('copy_path', { source, destination })

describe('delete_path', () => {
  test('FILE-05 deletes a file, or a directory with its contents, and reports how much', async () => {
    await put('a')
    await put('d/e/f')
    await put('d/g')
    await symlink('nowhere', join(client.workspace, 'd/dead'))
    execFileSync('mkfifo', [join(client.workspace, 'd/pipe')])
    expect(outputOf(await remove('a'))).toBe('Deleted a (1 file)')
    expect(outputOf(await remove('d/'))).toBe(
      'Deleted d/ (2 directories, 2 files, 1 link, 1 special file)',
    )
    expect(await treeOf()).toEqual({})
    expect(errorOf(await remove('a')).message).toBe('a: no such file or directory')
  })

  test('FILE-05 without recursive only an empty directory is deleted', async () => {
    await put('d/f')
    await mkdir(join(client.workspace, 'empty'))
    expect(errorOf(await remove('d', { recursive: false })).message).toContain('not empty')
    expect(outputOf(await remove('empty', { recursive: false }))).toContain('1 directory')
    expect(await treeOf()).toEqual({ d: 'directory', 'd/f': 'd/f' })
  })

  test('FILE-05 a link is unlinked, to a file or a directory, inside or outside, and its target does not change', async () => {
    await put('kept/f')
    await symlink('kept', join(client.workspace, 'to-directory'))
    await symlink(join(client.root, 'outside'), join(client.workspace, 'out'))
    await symlink(join(client.root, 'outside/secret'), join(client.workspace, 'out-file'))
    await mkdir(join(client.workspace, 'd'))
    await symlink('../kept', join(client.workspace, 'd/inner'))
    for (const path of ['to-directory', 'out', 'out-file', 'd']) {
      expect((await remove(path)).kind).toBe('ok')
    }
    expect(await treeOf()).toEqual({ kept: 'directory', 'kept/f': 'kept/f' })
    expect(await readdir(join(client.root, 'outside'))).toEqual(['secret'])
  })

  test('FILE-05 the workspace, its parents and directories that contain an allowed one are refused', async () => {
    const shared = await put('sub/shared/f')
    client.rules = { ...client.rules, allowed: [client.workspace, dirname(shared)] }
    for (const path of ['.', '~', '', '..', '/', client.root, 'sub', 'sub/..', 'sub/shared']) {
      const { category } = errorOf(await remove(path))
      expect(category, path).toBe(path === '' ? 'invalid_parameters' : 'policy_blocked')
    }
    expect(await readFile(shared, 'utf8')).toBe('sub/shared/f')
  })

  test('THREAT-10 GATE-12 protected paths are not deleted, nor a directory that contains one', async () => {
    const file = await put('conf/countersign.toml')
    client.rules = { ...client.rules, masked: [file] }
    for (const path of ['conf', 'conf/countersign.toml']) {
      expect(errorOf(await remove(path)).message).toContain('protected')
    }
    expect(errorOf(await move('conf', 'other')).message).toContain('protected')
    expect(errorOf(await copy('conf/countersign.toml', 'other')).message).toContain('protected')
    expect(outputOf(await copy('conf', 'other'))).toContain('left out')
    await put('new')
    expect(errorOf(await move('new', 'conf/countersign.toml')).message).toContain('protected')
    expect(await treeOf('conf')).toEqual({ 'countersign.toml': 'conf/countersign.toml' })
    expect(await treeOf('other')).toEqual({})
  })

  test('GATE-07 a rule that denies a path below protects the whole directory', async () => {
    await put('d/a')
    await put('d/keep/b')
    client.rules = { ...client.rules, denyByRule: ['**/keep', '**/keep/**'] }
    expect(errorOf(await remove('d')).category).toBe('policy_blocked')
    expect(await treeOf('d')).toEqual({ a: 'd/a', keep: 'directory', 'keep/b': 'd/keep/b' })
    expect((await remove('d/a')).kind).toBe('ok')
  })

  test('ERR-05 a deletion that fails half-way reports how much was deleted', async ({ skip }) => {
    await put('d/a')
    await put('d/x/locked')
    const directory = join(client.workspace, 'd/x')
    const isLocked = await lock(directory)
    skip(!isLocked, 'nothing here keeps this user from deleting')
    const { category, message } = errorOf(await remove('d'))
    await unlock(directory)
    expect(category).toBe('policy_blocked')
    expect(message).toMatch(/^d: permission denied(; before that were deleted: 1 file)?$/)
    expect(await treeOf('d/x')).toEqual({ locked: 'd/x/locked' })
  })
})

describe('copy_path', () => {
  test('FILE-04 copies a file with its mode, and a directory with links as links, never following them', async () => {
    const run = await put('d/run', '#!/bin/sh\n')
    await chmod(run, 0o755)
    await put('d/e/f', 'x'.repeat(3_000_000))
    await symlink(join(client.root, 'outside'), join(client.workspace, 'd/out'))
    await symlink('run', join(client.workspace, 'd/link'))
    await symlink('nowhere', join(client.workspace, 'd/dead'))
    await chmod(join(client.workspace, 'd/e'), 0o500)
    expect(outputOf(await copy('d', 'new/place/copy'))).toBe(
      'Copied d to new/place/copy (2 directories, 2 files, 3 links)',
    )
    expect(await treeOf('new/place/copy')).toEqual(await treeOf('d'))
    expect(await treeOf('new/place')).not.toHaveProperty('.countersign')
    expect((await readdir(join(client.workspace, 'new/place'))).sort()).toEqual(['copy'])
    expect((await stat(join(client.workspace, 'new/place/copy/run'))).mode & 0o777).toBe(0o755)
    expect((await stat(join(client.workspace, 'new/place/copy/e'))).mode & 0o777).toBe(0o500)
    expect(outputOf(await copy('d/link', 'link2'))).toContain('1 link')
    expect(await readlink(join(client.workspace, 'link2'))).toBe('run')
  })

  test('FILE-01 both paths must lie inside; a missing source, a destination inside the source and an existing one are refused', async () => {
    await put('d/f')
    await put('taken')
    await symlink('nowhere', join(client.workspace, 'dead'))
    const outside = join(client.root, 'outside')
    for (const [source, destination, category, words] of [
      [join(outside, 'secret'), 'x', 'policy_blocked', 'outside the allowed'],
      ['../outside/secret', 'x', 'policy_blocked', 'outside the allowed'],
      ['d', join(outside, 'x'), 'policy_blocked', 'outside the allowed'],
      ['d', '../outside/x', 'policy_blocked', 'outside the allowed'],
      ['no', 'x', 'permanent_failure', 'no such file'],
      ['d', 'd/e/f', 'invalid_parameters', 'inside the source'],
      ['d', 'd', 'invalid_parameters', 'inside the source'],
      ['d', 'taken', 'permanent_failure', 'exists already'],
      ['taken', 'd', 'permanent_failure', 'inside it'],
      ['taken', 'dead', 'permanent_failure', 'exists already'],
      ['taken', '.', 'policy_blocked', 'allowed directory'],
      ['taken', 'a/\0', 'invalid_parameters', 'NUL'],
    ] as const) {
      for (const call of [copy, move]) {
        const { kind, ...rest } = await call(source, destination)
        expect({ kind, ...rest }, `${source} ${destination}`).toMatchObject({
          kind: 'error',
          error: { category, message: expect.stringContaining(words) },
        })
      }
    }
    expect(errorOf(await copy('.', 'x')).message).toContain('inside the source')
    expect(errorOf(await move('.', 'x')).message).toContain('allowed directory')
    expect(await treeOf()).toEqual({
      d: 'directory',
      'd/f': 'd/f',
      dead: '-> nowhere',
      taken: 'taken',
    })
    expect(await readdir(outside)).toEqual(['secret'])
  })

  test('FILE-02 unreadable paths are not copied: a file is refused, in a directory it is left out with a note', async () => {
    await put('d/.env', 'KEY=the secret')
    await put('d/plain')
    await put('d/sub/b.env', 'KEY=the secret')
    await symlink('.env', join(client.workspace, 'd/innocent'))
    client.rules = { ...client.rules, denyRead: ['*.env'], denyByRule: ['**/sub/*'] }
    expect(errorOf(await copy('d/.env', 'x')).category).toBe('policy_blocked')
    expect(errorOf(await move('d/.env', 'x')).category).toBe('policy_blocked')
    expect(outputOf(await copy('d', 'x'))).toBe(
      'Copied d to x (2 directories, 1 file, 1 link; left out, as it may not be read or copied: 2 files)',
    )
    expect(await treeOf('x')).toEqual({ innocent: '-> .env', plain: 'd/plain', sub: 'directory' })
    expect(errorOf(await move('d', 'y')).category).toBe('policy_blocked')
    expect(Object.keys(await treeOf('d'))).toHaveLength(5)
  })

  test('FILE-02 a directory that allow_read opens can be copied from, never moved from', async () => {
    const outside = join(client.root, 'outside')
    client.rules = { ...client.rules, allowRead: [`${outside}/**`] }
    expect(outputOf(await copy(join(outside, 'secret'), 'mine'))).toContain('1 file')
    expect(errorOf(await move(join(outside, 'secret'), 'mine2')).category).toBe('policy_blocked')
    expect(await readdir(outside)).toEqual(['secret'])
  })

  test('FILE-03 pipes and devices are refused, in a directory left out, and never waited for', async () => {
    await put('d/f')
    execFileSync('mkfifo', [join(client.workspace, 'd/pipe')])
    expect(errorOf(await copy('d/pipe', 'x')).message).toContain('no file, directory or link')
    expect(outputOf(await copy('d', 'x'))).toContain(
      'left out, as it may not be read or copied: 1 special',
    )
    expect(await treeOf('x')).toEqual({ f: 'd/f' })
    expect((await move('d', 'y')).kind).toBe('ok')
    expect(await treeOf('y')).toEqual({ f: 'd/f', pipe: 'special' })
  })

  test('THREAT-1 below a linked directory both paths are answered with their targets, in order, and nothing is done', async () => {
    await put('real/f')
    await symlink('real', join(client.workspace, 'dir'))
    await symlink(join(client.root, 'outside'), join(client.workspace, 'out'))
    const canonical = [join(client.workspace, 'real/f'), join(client.root, 'outside/g')]
    for (const call of [copy, move]) {
      expect(await call('dir/f', 'out/g')).toEqual({ kind: 'elsewhere', canonical })
    }
    for (const tool of ['copy_path', 'move_path']) {
      const args = { source: 'dir/f', destination: 'out/g' }
      const outcome = await client.call(tool, args, { judged: canonical })
      expect(errorOf(outcome).category).toBe('policy_blocked')
    }
    expect(await client.call('delete_path', { path: 'dir/f' })).toMatchObject({ kind: 'elsewhere' })
    expect(await readdir(join(client.root, 'outside'))).toEqual(['secret'])
    expect(await readFile(join(client.workspace, 'real/f'), 'utf8')).toBe('real/f')
  })

  test('FILE-04 a hard link is copied as a file of its own', async () => {
    const first = await put('first')
    await link(first, join(client.workspace, 'second'))
    await copy('second', 'third')
    await writeFile(join(client.workspace, 'third'), 'changed')
    expect(await readFile(first, 'utf8')).toBe('first')
  })
})

describe('move_path', () => {
  test('FILE-01 moves a file, a link and a directory, and makes missing parents', async () => {
    await put('d/e/f')
    await symlink('d', join(client.workspace, 'link'))
    expect(outputOf(await move('d', 'new/place'))).toBe('Moved d to new/place')
    expect((await move('link', 'new/link')).kind).toBe('ok')
    expect((await move('new/place/e/f', '~/f')).kind).toBe('ok')
    expect(await treeOf()).toEqual({
      f: 'd/e/f',
      new: 'directory',
      'new/link': '-> d',
      'new/place': 'directory',
      'new/place/e': 'directory',
    })
  })

  test('GATE-07 a rule that denies a path below the destination refuses the whole move', async () => {
    await put('d/keys/f')
    client.rules = { ...client.rules, denyByRule: [`${client.workspace}/safe/keys/*`] }
    for (const call of [move, copy]) {
      expect(errorOf(await call('d', 'safe')).category).toBe('policy_blocked')
    }
    expect(Object.keys(await treeOf())).toEqual(['d', 'd/keys', 'd/keys/f'])
  })

  test('SHELL-11 THREAT-30 a directory that holds files of orders is not moved or copied before the gate knows of them', async () => {
    await put('d/x/.git/hooks/pre-commit')
    const at = (path: string) => join(client.workspace, path)
    const canonical = [at('d'), at('e'), at('e/x/.git')]
    for (const call of [copy, move]) {
      expect(await call('d', 'e')).toEqual({ kind: 'elsewhere', canonical })
    }
    for (const tool of ['copy_path', 'move_path']) {
      const args = { source: 'd', destination: tool }
      const judged = [at('d'), at(tool), at(`${tool}/x/.git`)]
      expect((await client.call(tool, args, { judged })).kind).toBe('ok')
    }
    expect(Object.keys(await treeOf('move_path'))).toContain('x/.git/hooks/pre-commit')
  })

  test('FILE-01 works across file systems, completely or not at all', async () => {
    const other = await mkdtemp('/dev/shm/countersign-move-')
    try {
      await put('d/e/f', 'x'.repeat(2_000_000))
      await symlink('e', join(client.workspace, 'd/link'))
      const before = await treeOf('d')
      client.rules = { ...client.rules, allowed: [client.workspace, other] }
      expect((await stat(other)).dev).not.toBe((await stat(client.workspace)).dev)
      expect((await move('d', join(other, 'd'))).kind).toBe('ok')
      expect(await treeOf()).toEqual({})
      expect((await move(join(other, 'd'), 'back')).kind).toBe('ok')
      expect(await treeOf('back')).toEqual(before)
      execFileSync('mkfifo', [join(client.workspace, 'back/pipe')])
      expect(errorOf(await move('back', join(other, 'd'))).message).toContain('special file')
      expect(await readdir(other)).toEqual([])
      expect(Object.keys(await treeOf('back'))).toHaveLength(Object.keys(before).length + 1)
    } finally {
      await rm(other, { recursive: true, force: true })
    }
  })
})

test('REG-06 FILE-03 names with newlines, quotes, leading dashes and 255 bytes are handled like others', async () => {
  const name = fc
    .string({ minLength: 1, maxLength: 80, unit: 'grapheme' })
    .filter((text) => !/[/\0]|[\ud800-\udfff]/.test(text) && text !== '.' && text !== '..')
    .filter((text) => Buffer.byteLength(text) <= 255 && !text.startsWith('~'))
  const names = fc.uniqueArray(name, { minLength: 3, maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(names, async ([first = '', second = '', third = '']) => {
      await put(`./${first}`, 'content')
      expect((await move(first, `${second}`)).kind).toBe('ok')
      expect((await copy(second, third)).kind).toBe('ok')
      expect(await treeOf()).toEqual({ [second]: 'content', [third]: 'content' })
      const output = outputOf(await remove(second))
      expect(output).not.toMatch(/[\n\r\u2028]/)
      expect((await remove(third)).kind).toBe('ok')
    }),
    { numRuns: 150, examples: [[['-rf', 'a\nb', 'x'.repeat(255)]], [['*', '$(id)', '\u202e']]] },
  )
})

/** Prevents everybody, including root, from changing a directory's entries; returns false if the system cannot do that. */
async function lock(directory: string): Promise<boolean> {
  if (process.geteuid?.() !== 0) {
    await chmod(directory, 0o555)
    return true
  }
  try {
    execFileSync('chattr', ['+i', directory], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

async function unlock(directory: string): Promise<void> {
  if (process.geteuid?.() === 0) execFileSync('chattr', ['-i', directory], { stdio: 'ignore' })
  else await chmod(directory, 0o755)
}

test('FILE-05 a name that is not UTF-8 is reported, and its tree is not touched', async () => {
  await put('tree/a')
  await put('tree/b\ufffd')
  const odd = Buffer.concat([Buffer.from(join(client.workspace, 'tree/')), Buffer.from([0xff])])
  await writeFile(odd, 'odd')
  for (const [tool, args] of [
    ['delete_path', { path: 'tree' }],
    ['copy_path', { source: 'tree', destination: 'copy' }],
    ['move_path', { source: 'tree', destination: 'copy' }],
  ] as const) {
    expect(errorOf(await client.call(tool, args)).message).toContain('not UTF-8')
  }
  expect((await readdir(client.workspace)).sort()).toEqual(['tree'])
  expect((await readdir(join(client.workspace, 'tree'))).length).toBe(3)
  await rm(odd)
  expect(outputOf(await client.call('delete_path', { path: 'tree' }))).toContain('2 files')
})
