import { tmpdir } from 'node:os'
import { ExecaError } from 'execa'
import { expect, test } from 'vitest'
import { runCommand } from '../../src/util/run-command.ts'

test('THREAT-14 a program that is run sees the variables that it is given, and none of ours', async () => {
  process.env['SECRET_OF_OURS'] = 'token'
  const printed = await runCommand('/usr/bin/env', [], { env: { GIVEN: '1' }, cwd: '/' })
  expect(printed).toBe('GIVEN=1')
})

test('THREAT-14 arguments reach no shell', async () => {
  expect(await runCommand('/bin/echo', ['$(id); a'], { env: {} })).toBe('$(id); a')
})

test('ARCH a command that fails says so with its output, in its own directory', async () => {
  const failed = runCommand('/bin/sh', ['-c', 'pwd >&2; exit 3'], { env: {}, cwd: tmpdir() })
  await expect(failed).rejects.toMatchObject({ exitCode: 3, stderr: tmpdir() })
  const missing = runCommand('/no/such/program', [], { env: {} })
  await expect(missing).rejects.toBeInstanceOf(ExecaError)
})

test('ARCH a command that takes too long is ended', async () => {
  const slow = runCommand('/bin/sleep', ['30'], { env: {}, timeout: 50 })
  await expect(slow).rejects.toMatchObject({ timedOut: true })
})

test('PROC-03 a command leaves no handler of signals, with which it would end this process before its drain', async () => {
  const count = () => process.listenerCount('SIGTERM') + process.listenerCount('SIGINT')
  const before = count()
  const running = runCommand('/bin/sleep', ['0.2'], { env: {} })
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(count()).toBe(before)
  await running
})
