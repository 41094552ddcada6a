import { spawn } from 'node:child_process'
import { lstat, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { compileCache } from '../support/compile-cache.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** The real program, as a shell would run it with lines piped in. */
function run(dataDir: string, lines: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [main, 'start'], {
    env: {
      ...compileCache,
      PATH: process.env['PATH'],
      USER: 'ada',
      HOME: dataDir,
      COUNTERSIGN_DATA_DIR: join(dataDir, 'data'),
    },
    cwd: dataDir,
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  child.stdin.end(lines.map((line) => `${line}\n`).join(''))
  return new Promise((resolve) => child.on('close', () => resolve(output)))
}

test('CHAT-07 TERM-02 /upload at the terminal takes a file of the person by the same way, and tells what cannot be', async () => {
  const home = await mkdtemp(join(tmpdir(), 'countersign-upload-'))
  await writeFile(join(home, 'my notes.sh'), 'echo hello\n', { mode: 0o755 })
  await writeFile(join(home, 'large.bin'), '')
  await truncate(join(home, 'large.bin'), 20 * 1024 * 1024 + 1)
  const output = await run(home, [
    '/upload ~/my notes.sh',
    '/upload "my notes.sh"',
    '/upload large.bin',
    '/upload nothing.txt',
    '/upload .',
    '/upload /dev/zero',
    '/upload',
  ])
  for (const words of [
    'Saved uploads/my notes.sh.',
    'Saved uploads/my notes-2.sh.',
    '“large.bin” was not taken: it is larger than 20 MB.',
    '“nothing.txt” was not taken: there is no such file.',
    '“.” was not taken: it is a directory.',
    '“/dev/zero” was not taken: it is not a regular file.',
    'Which file? /upload path',
  ]) {
    expect(output).toContain(words)
  }
  const [room = ''] = await readdir(join(home, 'data', 'workspaces'))
  const uploads = join(home, 'data', 'workspaces', room, 'uploads')
  expect((await readdir(uploads)).toSorted()).toEqual(['my notes-2.sh', 'my notes.sh'])
  expect(await readFile(join(uploads, 'my notes.sh'), 'utf8')).toBe('echo hello\n')
  expect((await lstat(join(uploads, 'my notes.sh'))).mode & 0o111).toBe(0)
  await rm(home, { recursive: true, force: true })
}, 120_000)
