import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../db/embedded/fixtures/temporary-directory.ts'
import { runProgram } from './run-program.ts'

const commands = [
  ['start'],
  ['migrate'],
  ['audit'],
  ['audit', 'verify'],
  ['pair'],
  ['pair', 'list'],
  ['pair', 'revoke'],
  ['permissions', 'show'],
  ['permissions', 'path'],
  ['gate', 'check'],
  ['keys', 'new'],
  ['keys', 'token'],
  ['doctor'],
  ['db', 'url'],
  ['version'],
]

let cwd = ''
beforeAll(async () => {
  const directory = await temporaryDirectory()
  cwd = directory.path
  return () => directory[Symbol.asyncDispose]()
})

describe('help', () => {
  test('CLI-01 without a command the program prints its help and succeeds', async () => {
    const { exitCode, stdout, stderr } = await runProgram([], { cwd })
    expect(exitCode).toBe(0)
    expect(stdout).toContain('Usage: countersign')
    for (const [name = ''] of commands) expect(stdout).toContain(`  ${name}`)
    expect(stdout).toContain('Exit codes')
    expect(stderr).toBe('')
  })

  test.each(commands)('CLI-01 %s %s --help says what it does, with examples', async (...words) => {
    const args = words.filter((word): word is string => typeof word === 'string')
    const { exitCode, stdout, stderr } = await runProgram([...args, '--help'], { cwd })
    expect(exitCode).toBe(0)
    expect(stdout).toContain(`Usage: countersign ${args.join(' ')}`)
    expect(stderr).toBe('')
    if (args[0] !== 'version') expect(stdout).toMatch(/\$ (?:.*\| |.*")?(?:.*)npx countersign/)
  })
})

describe('wrong usage', () => {
  test.each([
    [['dance']],
    [['audit', '--sience', '2h']],
    [['audit', 'extra']],
    [['audit', '--limit', '0']],
    [['audit', '--limit', 'many']],
    [['audit', '--since', 'yesterday']],
    [['audit', '--session', 'mine']],
    [['audit', '--verdict', 'maybe']],
    [['audit', '--json', '--csv']],
    [['permissions', 'show', '--worker', '../../etc']],
    [['keys', 'new', '--worker', '../../etc']],
    [['keys', 'token', '../../etc']],
    [['start', '--workspace']],
  ])('CLI-01 %j exits with 2 and one line on standard error', async (args) => {
    const { exitCode, stdout, stderr } = await runProgram(args, { cwd })
    expect(exitCode).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^error\[[A-Z_]+\]: .+\n/)
    expect(stderr).not.toMatch(/\n +at /)
  })

  test('CLI-01 a misspelled command or option is told the right one', async () => {
    expect((await runProgram(['doctr'], { cwd })).stderr).toContain('doctor')
    expect((await runProgram(['audit', '--sience', '2h'], { cwd })).stderr).toContain('--since')
  })

  test('CLI-01 a group of commands without one exits with 2 and lists them', async () => {
    const { exitCode, stderr } = await runProgram(['keys'], { cwd })
    expect(exitCode).toBe(2)
    expect(stderr).toContain('new [options]')
  })
})

describe('version', () => {
  test('CLI-01 the version stands alone with --version, and with Node in the command', async () => {
    const alone = await runProgram(['--version'], { cwd })
    expect(alone.stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    const { exitCode, stdout } = await runProgram(['version'], { cwd })
    expect(exitCode).toBe(0)
    expect(stdout).toContain(`countersign ${alone.stdout}`)
    expect(stdout).toContain(`node ${process.versions.node}`)
    const json = await runProgram(['version', '--json'], { cwd })
    expect(JSON.parse(json.stdout)).toEqual({
      countersign: alone.stdout.trim(),
      node: process.versions.node,
      machine: `${process.platform}-${process.arch}`,
    })
  })

  test.each([
    ['echo 99.0.0', { exitCode: 1, stdout: expect.stringContaining('99.0.0 is out') }],
    ['echo 0.0.9', { exitCode: 0, stdout: expect.stringContaining('newest version') }],
    [
      'echo "<html>"',
      { exitCode: 1, stderr: 'error[NPM_FAILED]: npm knows no version of countersign\n' },
    ],
    ['exit 1', { exitCode: 1, stderr: expect.stringContaining('npm could not be asked') }],
  ])('SHIP-05 --check asks npm, and only when told to: %s', async (answer, ended) => {
    await using directory = await temporaryDirectory()
    const called = join(directory.path, 'called')
    const script = `#!/bin/sh\nenv > ${called}\n${answer}\n`
    await writeFile(join(directory.path, 'npm'), script, { mode: 0o755 })
    const environment = {
      PATH: `${directory.path}:/usr/bin:/bin`,
      TELEGRAM_BOT_TOKEN: '12:secret',
      npm_config_registry: 'https://registry.example',
    }
    await runProgram(['version'], { cwd, environment })
    await expect(readFile(called)).rejects.toThrow('ENOENT')
    expect(await runProgram(['version', '--check'], { cwd, environment })).toMatchObject(ended)
    const seen = await readFile(called, 'utf8')
    expect(seen).toContain('npm_config_registry=https://registry.example')
    expect(seen).not.toContain('12:secret')
  })
})

describe('a broken configuration', () => {
  test('CONF-02 all problems are reported at once with file and line, and the program exits with 2', async () => {
    await using directory = await temporaryDirectory()
    const text = '[agent]\nmax_tool_iterations = "many"\n\n[tools]\nenabledd = true\n'
    await writeFile(join(directory.path, 'countersign.toml'), text)
    const secret = 'not-a-url-with-hunter2'
    const environment = { DATABASE_URL: secret }
    for (const args of [['audit'], ['migrate'], ['permissions', 'show'], ['db', 'url']]) {
      const { exitCode, stdout, stderr } = await runProgram(args, {
        cwd: directory.path,
        environment,
      })
      expect(exitCode).toBe(2)
      expect(stdout).toBe('')
      expect(stderr).toContain('The configuration has 3 problems:')
      expect(stderr).toContain('countersign.toml:2: agent.max_tool_iterations')
      expect(stderr).toContain('countersign.toml:5: tools.enabledd')
      expect(stderr).toContain('DATABASE_URL: ')
      expect(stderr).not.toContain('hunter2')
      expect(stderr).not.toMatch(/\n +at /)
    }
  })
})

describe('databases that do not answer', () => {
  test('CLI-01 an unreachable database is reported in one line without its password, with exit code 1', async () => {
    const environment = { DATABASE_URL: 'postgres://ada:hunter22hunter@127.0.0.1:1/none' }
    for (const args of [['audit'], ['audit', 'verify'], ['migrate']]) {
      const { exitCode, stdout, stderr } = await runProgram(args, { cwd, environment })
      expect(exitCode).toBe(1)
      expect(stdout).toBe('')
      expect(stderr).toMatch(/^error\[DATABASE_UNREACHABLE\]: cannot reach the database: .+\n$/)
      expect(stderr).not.toContain('hunter22')
    }
  })
})
