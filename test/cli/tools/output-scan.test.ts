import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { runProgram } from '../run-program.ts'

// Split, so that secret scanners do not report this file.
const token = `ghp_${'aB3dE5gH7jK9mN1pQ'.repeat(3).slice(0, 36)}`
const password = 'k3j5h7g9f1'

async function scan(cwd: string, input: string, environment: Record<string, string> = {}) {
  return await runProgram(['output', 'scan'], { cwd, input, environment })
}

test('OUT-08 output scan prints the redacted text, and on standard error what was found where, never the value', async () => {
  await using directory = await temporaryDirectory()
  const text = `first\n  token ${token} and postgres://app:${password}@db/x\r\n\u001b[1mlast\u001b[0m`
  const { exitCode, stdout, stderr } = await scan(directory.path, text)
  expect(exitCode).toBe(0)
  expect(stdout).toBe(
    text
      .replace(token, '[redacted:github-token]')
      .replace(password, '[redacted:connection-password]'),
  )
  expect(stderr).toBe(
    'github-token line 2 column 9\nconnection-password line 2 column 69\n2 secrets were redacted\n',
  )
})

test('OUT-08 output scan reports nothing for a text without secrets and returns it byte for byte', async () => {
  await using directory = await temporaryDirectory()
  for (const text of [
    '',
    'commit 9fceb02d0ae598e95dc970b74767f19372d61af8\n',
    'naïve ☃ \r\n\r\n',
  ]) {
    expect(await scan(directory.path, text)).toEqual({ exitCode: 0, stdout: text, stderr: '' })
  }
})

test('OUT-08 OUT-07 output scan uses the operator’s patterns, and names those that it does not use', async () => {
  await using directory = await temporaryDirectory()
  const long = `x{1,3}${'y'.repeat(510)}`
  const patterns = [String.raw`badge (\d{4})`, long, 'ACME-[0-9]+']
  await writeFile(
    join(directory.path, 'countersign.toml'),
    `[tools.filters.security]\nextra_patterns = ${JSON.stringify(patterns)}\n`,
  )
  const { exitCode, stdout, stderr } = await scan(directory.path, 'badge 1234\nACME-77\n')
  expect(exitCode).toBe(0)
  expect(stdout).toBe('badge [redacted:extra-pattern]\n[redacted:extra-pattern]\n')
  expect(stderr).toBe(
    [
      'pattern 2 of extra_patterns is not used: it has 516 characters, and may have 512',
      'extra-pattern line 1 column 7',
      'extra-pattern line 2 column 1',
      '2 secrets were redacted',
      '',
    ].join('\n'),
  )
})

test('OUT-08 output scan knows the secrets that this process was given', async () => {
  await using directory = await temporaryDirectory()
  const environment = { ANTHROPIC_API_KEY: 'plain-words-of-ours' }
  const encoded = Buffer.from('plain-words-of-ours').toString('base64')
  const { stdout, stderr } = await scan(directory.path, `a ${encoded}\n`, environment)
  expect(stdout).toContain('[redacted:own-secret]')
  expect(stderr).toContain('own-secret line 1 column 3')
})

test('CONF-02 output scan refuses a wrong configuration', async () => {
  await using directory = await temporaryDirectory()
  await writeFile(
    join(directory.path, 'countersign.toml'),
    '[tools.filters.security]\nextra_patterns = ["(a"]\n',
  )
  const { exitCode, stdout, stderr } = await scan(directory.path, 'a')
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toContain('not valid')
})
