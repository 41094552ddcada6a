import { spawn } from 'node:child_process'
import { lstat, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { compileCache } from '../support/database/compile-cache.ts'
import { inCi } from '../support/run/in-ci.ts'
import { mainProgram } from '../support/run/programs.ts'
import { programFailure } from '../support/run/system-packages.ts'
import { RealTerminal } from '../support/terminal/real-terminal.ts'

const program = [process.execPath, mainProgram, 'start']
const patienceMs = 180_000

/** A home with files to send, and what the program gets there. */
async function createHome() {
  const home = await mkdtemp(join(tmpdir(), 'countersign-upload-'))
  await writeFile(join(home, 'my notes.sh'), 'echo hello\n', { mode: 0o755 })
  await writeFile(join(home, 'large.bin'), '')
  await truncate(join(home, 'large.bin'), 20 * 1024 * 1024 + 1)
  const environment = {
    ...compileCache,
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    USER: 'ada',
    HOME: home,
    COUNTERSIGN_DATA_DIR: join(home, 'data'),
  }
  return {
    home,
    environment,
    /** The directory `uploads` of the one workspace; undefined: there is none. */
    uploads: async () => {
      const workspaces = join(home, 'data', 'workspaces')
      const [room = ''] = await readdir(workspaces).catch(() => [])
      const uploads = join(workspaces, room, 'uploads')
      return { uploads, names: await readdir(uploads).catch(() => []) }
    },
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true, maxRetries: 5 }),
  }
}

const isSkipped = !inCi() && programFailure('tmux') !== undefined

describe.skipIf(isSkipped)('at a terminal', () => {
  test(
    'CHAT-07 TERM-02 /upload takes a file of the person by the same way, and tells what cannot be',
    async () => {
      await using at = await createHome()
      await using terminal = await RealTerminal.open({
        ...{ command: program, cwd: at.home, environment: at.environment },
        ...{ columns: 120, rows: 40 },
      })
      await terminal.until(/\/help tells/)
      for (const [line, told] of [
        ['/upload ~/my notes.sh', 'Saved uploads/my notes.sh.'],
        ['/upload "my notes.sh"', 'Saved uploads/my notes-2.sh.'],
        ['/upload large.bin', '“large.bin” was not taken: it is larger than 20 MB.'],
        ['/upload nothing.txt', '“nothing.txt” was not taken: there is no such file.'],
        ['/upload .', '“.” was not taken: it is a directory.'],
        ['/upload /dev/zero', '“/dev/zero” was not taken: it is not a regular file.'],
        ['/upload', 'Which file? /upload path'],
      ] as const) {
        await terminal.type(line)
        await terminal.press('Enter')
        await terminal.until(new RegExp(told.replaceAll(/[.?/]/g, String.raw`\$&`)))
      }
      const { uploads, names } = await at.uploads()
      expect(names.toSorted()).toEqual(['my notes-2.sh', 'my notes.sh'])
      expect(await readFile(join(uploads, 'my notes.sh'), 'utf8')).toBe('echo hello\n')
      expect((await lstat(join(uploads, 'my notes.sh'))).mode & 0o111).toBe(0)
    },
    patienceMs,
  )
})

test(
  'CHAT-07 TERM-02 what another program pipes in names no files of this machine',
  async () => {
    await using at = await createHome()
    const [node = '', ...rest] = program
    const child = spawn(node, rest, { env: at.environment, cwd: at.home })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.stdin.end('/upload ~/my notes.sh\nhello\n')
    await new Promise((resolve) => child.on('close', resolve))
    expect(output).toContain('/upload')
    expect(output).not.toContain('Saved')
    expect((await at.uploads()).names).toEqual([])
  },
  patienceMs,
)
