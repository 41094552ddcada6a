import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { type Client, errorOf, outputOf, startClient } from '../client.ts'

vi.setConfig({ testTimeout: 120_000 })

function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

async function put(client: Client, path: string, content: string | Buffer): Promise<string> {
  const file = join(client.workspace, path)
  await mkdir(join(file, '..'), { recursive: true })
  await writeFile(file, content)
  return file
}

test('FILE-07 read numbers lines correctly, also within a window', async () => {
  await using client = await startClient()
  await put(client, 'a.txt', Array.from({ length: 10 }, (_, index) => `l${index + 1}`).join('\n'))
  const whole = outputOf(await client.call('read', { path: 'a.txt' }))
  expect(whole.split('\n').map((line) => line.trim())).toEqual(
    Array.from({ length: 10 }, (_, index) => `${index + 1}\tl${index + 1}`),
  )
  const window = outputOf(await client.call('read', { path: 'a.txt', offset: 3, limit: 2 }))
  expect(window).toBe('     4\tl4\n     5\tl5\n(lines 4 to 5 of 10; go on with offset 5)')
})

test('FILE-07 read stops at 2,000 lines and truncates long ones, with a note', async () => {
  await using client = await startClient()
  await put(client, 'long', `${'x'.repeat(5000)}\n${'y\n'.repeat(2500)}`)
  const output = outputOf(await client.call('read', { path: 'long' }))
  expect(output).toContain('[line cut: 3000 more characters; go on with offset 0, column 2000]')
  expect(output).toContain('(lines 1 to 2000 of 2501; go on with offset 2000)')
  expect(outputOf(await client.call('read', { path: 'long', offset: 9000 }))).toContain(
    '2501 lines',
  )
})

test('FILE-10 read reaches every character of a line by columns, whatever character a cut falls on', async () => {
  await using client = await startClient()
  const long = `${'é'.repeat(1_999)}😀${'x\r'.repeat(15_000)}${'😀'.repeat(30_000)}end`
  await put(client, 'long', `first\n${long}\r\nlast\n`)
  let [read, column] = ['', 0]
  for (let call = 0; call < 20; call += 1) {
    const window = { path: 'long', offset: 1, limit: 1, column }
    const output = outputOf(await client.call('read', window))
    const line =
      /^ {5}2\t(?:\[from column (\d+) of \d+\] )?(.*?)(?: \[line cut: (\d+) more characters; go on with offset 1, column (\d+)\])?\n\(lines 2 to 2 of 3; go on with offset 2\)$/su
    const [, from = '0', text = '', left, next] = line.exec(output) ?? []
    expect(Number(from)).toBe(column)
    read += text
    if (next === undefined) break
    expect(Number(next)).toBe(read.length)
    // The line's own \r counts.
    expect(Number(left)).toBe(long.length + 1 - read.length)
    column = Number(next)
  }
  expect(read).toBe(long)
  const beyond = outputOf(await client.call('read', { path: 'long', offset: 2, column: 99 }))
  expect(beyond).toBe('     3\t[from column 99 of 4] ')
  const both = outputOf(await client.call('read', { path: 'long', column: 2 }))
  expect(both).toMatch(/^ {5}1\t\[from column 2 of 5\] rst\n {5}2\té{1999} \[line cut/)
})

test('FILE-07 read reports directories, binary data, other encodings and empty files', async () => {
  await using client = await startClient()
  await put(client, 'dir/x', '')
  await put(client, 'bin', Buffer.from([1, 2, 0, 3]))
  await put(client, 'latin', Buffer.from([0x61, 0xe9, 0x62]))
  await put(client, 'cut', Buffer.from([0x61, 0xe2, 0x82]))
  const messageOf = async (path: string): Promise<string> =>
    errorOf(await client.call('read', { path })).message
  expect(await messageOf('dir')).toContain('is a directory')
  expect(await messageOf('bin')).toContain('binary')
  expect(await messageOf('latin')).toContain('not UTF-8')
  expect(await messageOf('cut')).toContain('not UTF-8')
  expect(outputOf(await client.call('read', { path: 'dir/x' }))).toContain('empty')
})

test('FILE-07 a file over 10 MiB is read by window only, in constant memory', async () => {
  await using client = await startClient()
  const file = await open(join(client.workspace, 'huge'), 'w')
  const chunk = 'x'.repeat(1023).concat('\n').repeat(1024)
  for (let count = 0; count < 300; count++) await file.write(chunk)
  await file.close()
  expect(errorOf(await client.call('read', { path: 'huge' })).category).toBe('invalid_parameters')
  const output = outputOf(await client.call('read', { path: 'huge', offset: 300_000, limit: 1 }))
  expect(output).toMatch(/^300001\tx{1023}\n\(lines 300001 to 300001 of more/)
  const status = await readFile(`/proc/${client.child.pid}/status`, 'utf8')
  expect(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1])).toBeLessThan(250_000)
})

test('FILE-03 pipes, sockets and devices are refused instead of waited for', async () => {
  await using client = await startClient()
  execFileSync('mkfifo', [join(client.workspace, 'pipe')])
  const server = createServer().listen(join(client.workspace, 'socket'))
  await new Promise((ready) => server.once('listening', ready))
  client.rules = { ...client.rules, allowed: [client.workspace, '/dev'] }
  for (const path of ['pipe', 'socket', '/dev/zero', '/dev/tty']) {
    for (const [tool, more] of [
      ['read', {}],
      ['edit', { old_string: 'a', new_string: 'b' }],
      ['write', { content: 'x' }],
      ['grep', { pattern: 'x' }],
    ] as const) {
      const outcome = await client.call(tool, { path, ...more }, { timeoutMs: 20_000 })
      expect(errorOf(outcome).category).not.toBe('timeout')
    }
  }
  expect((await lstat(join(client.workspace, 'pipe'))).isFIFO()).toBe(true)
  server.close()
})

test('FILE-01 write creates parents, replaces atomically and keeps the mode', async () => {
  await using client = await startClient()
  const outcome = await client.call('write', { path: 'a/b/c.txt', content: 'é' })
  expect(outputOf(outcome)).toBe('Wrote 2 bytes to a/b/c.txt')
  const file = join(client.workspace, 'a/b/c.txt')
  expect((await stat(file)).mode & 0o777).toBe(0o644)
  await chmod(file, 0o750)
  const before = await stat(file)
  await client.call('write', { path: '~/a/b/c.txt', content: 'new' })
  const after = await stat(file)
  expect([after.mode & 0o777, after.ino === before.ino]).toEqual([0o750, false])
  expect(await readFile(file, 'utf8')).toBe('new')
  expect(await readdir(join(client.workspace, 'a/b'))).toEqual(['c.txt'])
})

test('MODEL-08 FILE-01 write with append adds to the end, after a card with the real diff and only on its base', async () => {
  await using client = await startClient()
  const append = (path: string, content: string, more = {}) =>
    client.call('write', { path, content, append: true }, more)
  expect(outputOf(await append('a/new.txt', 'é'))).toBe(
    'Added 2 bytes to a/new.txt, which has 2 now',
  )
  const file = join(client.workspace, 'a/new.txt')
  await chmod(file, 0o750)
  expect(await append('a/new.txt', 'n\n', { preview: true })).toEqual({
    kind: 'preview',
    diff: '--- a/a/new.txt\n+++ b/a/new.txt\n@@ -1 +1 @@\n-é\n\\ No newline at end of file\n+én\n',
    baseSha256: sha256('é'),
  })
  expect(await append('a/new.txt', 'x', { baseSha256: sha256('other') })).toMatchObject({
    kind: 'changed',
  })
  await append('a/new.txt', 'n\n', { baseSha256: sha256('é') })
  expect(await readFile(file, 'utf8')).toBe('én\n')
  expect((await stat(file)).mode & 0o777).toBe(0o750)
  const binary = await put(client, 'b', Buffer.from([0, 255]))
  expect(errorOf(await append('b', 'x')).message).toContain('binary')
  expect(await readFile(binary)).toEqual(Buffer.from([0, 255]))
  expect((await client.call('write', { path: 'b', content: 'x', append: 'yes' })).kind).toBe(
    'error',
  )
})

test('FILE-06 edit replaces, shows a diff, and leaves the file alone when it refuses', async () => {
  await using client = await startClient()
  const file = await put(client, 'f', 'one\r\ntwo\r\nthree')
  const edit = (old_string: string, new_string: string, more = {}) =>
    client.call('edit', { path: 'f', old_string, new_string, ...more })
  expect(outputOf(await edit('two', 'zwei\nzwo'))).toMatch(
    /^Edited f \(1 replacement\)\n--- a\/f\n/,
  )
  expect(await readFile(file, 'utf8')).toBe('one\r\nzwei\r\nzwo\r\nthree')
  for (const refused of [edit('absent', 'x'), edit('e', 'x'), edit('', 'x'), edit('one', 'one')]) {
    expect((await refused).kind).toBe('error')
  }
  expect(await readFile(file, 'utf8')).toBe('one\r\nzwei\r\nzwo\r\nthree')
  expect(outputOf(await edit('e', 'E', { replace_all: true }))).toContain('(4 replacements)')
})

test('OUT-08 text with a redaction mark is not written', async () => {
  await using client = await startClient()
  const file = await put(client, 'f', 'key=abc')
  const mark = 'key=[redacted:token]'
  const edit = await client.call('edit', { path: 'f', old_string: 'key=abc', new_string: mark })
  const write = await client.call('write', { path: 'f', content: mark })
  expect([errorOf(edit).category, errorOf(write).category]).toEqual([
    'policy_blocked',
    'policy_blocked',
  ])
  expect(await readFile(file, 'utf8')).toBe('key=abc')
})

test('FILE-04 list_directory sorts directories, files and links, and follows nothing', async () => {
  await using client = await startClient()
  for (const path of ['b/x', 'a/x', 'z', 'y', 'line\nbreak']) await put(client, path, '')
  await symlink('/etc', join(client.workspace, 'link'))
  expect(outputOf(await client.call('list_directory', { path: '.' }))).toBe(
    ['[dir] a', '[dir] b', '[file] line\\nbreak', '[file] y', '[file] z', '[symlink] link'].join(
      '\n',
    ),
  )
})

test('FILE-01 create_directory makes parents and accepts one that exists', async () => {
  await using client = await startClient()
  for (let count = 0; count < 2; count++) {
    expect(outputOf(await client.call('create_directory', { path: 'a/b/c' }))).toBe('Created a/b/c')
  }
  await put(client, 'file', '')
  expect(errorOf(await client.call('create_directory', { path: 'file/x' })).category).toBe(
    'permanent_failure',
  )
})

test('FILE-04 find_path matches by glob, skips the heavy directories unless named, and reports truncation', async () => {
  await using client = await startClient()
  for (const path of [
    'a.ts',
    'src/b.ts',
    'src/c.js',
    'node_modules/d.ts',
    '.git/e.ts',
    '.x/f.ts',
  ]) {
    await put(client, path, '')
  }
  await symlink('src', join(client.workspace, 'link'))
  await symlink('/etc', join(client.workspace, 'out.ts'))
  const find = async (pattern: string, more = {}) =>
    outputOf(await client.call('find_path', { path: '.', pattern, ...more })).split('\n')
  expect(await find('*.ts')).toEqual(['.x/f.ts', 'a.ts', 'src/b.ts'])
  expect(await find('src/*')).toEqual(['src/b.ts', 'src/c.js'])
  expect(await find('node_modules/*.ts')).toEqual(['node_modules/d.ts'])
  expect(await find('*.ts', { max_results: 1 })).toEqual(['.x/f.ts', '(1 of 3 paths shown)'])
  expect(errorOf(await client.call('find_path', { path: 'none', pattern: '*' })).category).toBe(
    'permanent_failure',
  )
  expect(errorOf(await client.call('find_path', { path: '.', pattern: '!(a)' })).category).toBe(
    'invalid_parameters',
  )
})

test.each([
  ['/etc/*', 'below the searched directory'],
  ['../*.ts', 'below the searched directory'],
  ['src/../*.ts', 'below the searched directory'],
  ['~/x', 'below the searched directory'],
  ['C:/src/*', 'below the searched directory'],
  ['src/', 'a directory is named without it'],
  ['src//*.ts', 'no path has an empty name'],
  ['a/./b', 'no path has an empty name'],
  ['*.{}', 'its braces {} are empty'],
  ['src\\*.ts\\d', 'a backslash escapes what follows'],
])('FILE-10 the glob %s can match nothing, and is refused with the reason', async (glob, why) => {
  await using client = await startClient()
  await put(client, 'src/b.ts', 'x')
  const found = errorOf(await client.call('find_path', { path: '.', pattern: glob }))
  const searched = errorOf(await client.call('grep', { pattern: 'x', glob }))
  for (const error of [found, searched]) {
    expect(error.category).toBe('invalid_parameters')
    expect(error.message).toContain(`The glob ${JSON.stringify(glob)} can match nothing`)
    expect(error.message).toContain(why)
  }
})

test('FILE-10 a glob that begins with the searched directory, or with ./, matches below it', async () => {
  await using client = await startClient()
  await put(client, 'src/b.ts', 'x')
  for (const pattern of [`${client.workspace}/src/*.ts`, './src/*.ts', '**/b.ts', '\\*.ts']) {
    const found = outputOf(await client.call('find_path', { path: '.', pattern }))
    expect([pattern, found]).toEqual([
      pattern,
      pattern === '\\*.ts' ? '(nothing found)' : 'src/b.ts',
    ])
  }
})

test('ERR-05 a missing path is permanent_failure, and a hostile one invalid_parameters', async () => {
  await using client = await startClient()
  await put(client, 'file', 'x')
  const categoryOf = async (path: string): Promise<string> =>
    errorOf(await client.call('read', { path }, { judged: [client.absolute(path)] })).category
  expect(await categoryOf('missing')).toBe('permanent_failure')
  expect(await categoryOf('file/below')).toBe('permanent_failure')
  expect(await categoryOf('a\0b')).toBe('invalid_parameters')
  expect(await categoryOf('')).toBe('invalid_parameters')
  expect(await categoryOf('x'.repeat(5000))).toBe('invalid_parameters')
  expect(await categoryOf('x'.repeat(300))).toBe('invalid_parameters')
})

test('GATE-07 a preview of write and edit changes nothing and names the base', async () => {
  await using client = await startClient()
  const file = await put(client, 'f', 'one\n')
  const write = await client.call('write', { path: 'f', content: 'two\n' }, { preview: true })
  expect(write).toEqual({
    kind: 'preview',
    diff: '--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+two\n',
    baseSha256: sha256('one\n'),
  })
  const edit = { path: 'f', old_string: 'one', new_string: 'two' }
  expect(await client.call('edit', edit, { preview: true })).toEqual(write)
  const fresh = await client.call('write', { path: 'n/new', content: 'a\n' }, { preview: true })
  expect(fresh).toMatchObject({
    diff: '--- /dev/null\n+++ b/n/new\n@@ -0,0 +1 @@\n+a\n',
    baseSha256: sha256(''),
  })
  expect(await readdir(client.workspace)).toEqual(['f'])
  expect(await readFile(file, 'utf8')).toBe('one\n')
})

test('GATE-07 a file that is not the approved base is not changed', async () => {
  await using client = await startClient()
  const file = await put(client, 'f', 'one\n')
  const edit = { path: 'f', old_string: 'one', new_string: 'two' }
  const stale = { baseSha256: sha256('older\n') }
  expect(await client.call('edit', edit, stale)).toEqual({ kind: 'changed', path: 'f' })
  expect(await client.call('write', { path: 'f', content: 'x' }, stale)).toMatchObject({
    kind: 'changed',
  })
  expect(await readFile(file, 'utf8')).toBe('one\n')
  const gone = await client.call('write', { path: 'new', content: 'x' }, stale)
  expect(gone).toMatchObject({ kind: 'changed' })
  expect(await client.call('edit', edit, { baseSha256: sha256('one\n') })).toMatchObject({
    kind: 'ok',
  })
})
