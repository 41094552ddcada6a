import { readdir, readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { type Client, errorOf, outputOf, startClient } from '../client.ts'

vi.setConfig({ testTimeout: 120_000 })

let client: Client

beforeEach(async () => {
  client = await startClient()
  return () => client[Symbol.asyncDispose]()
})

async function begin(command: string): Promise<{ readonly job: string; readonly log: string }> {
  return JSON.parse(outputOf(await client.call('bash', { command, background: true })))
}

const read = (log: string) => readFile(join(client.workspace, log.replace('~/', '')), 'utf8')

test('BASH-01 a background command is answered at once; it continues, and its output goes to the log', async () => {
  const { job, log } = await begin('echo one; while [ ! -e go ]; do sleep 0.05; done; echo two >&2')
  expect(log).toBe(`~/.jobs/${job}.log`)
  await expect.poll(() => read(log), { timeout: 20_000 }).toBe('one\n')
  await client.call('bash', { command: 'touch go' })
  await expect.poll(() => read(log), { timeout: 20_000 }).toBe('one\ntwo\n')
})

test('BASH-01 at most five run at once; one that ended makes room', async () => {
  for (let index = 0; index < 5; index += 1)
    await begin(`until [ -e go${index} ]; do sleep 0.05; done`)
  const sixth = await client.call('bash', { command: 'true', background: true })
  expect(errorOf(sixth).message).toContain('5 background jobs')
  await client.call('bash', { command: 'touch go0' })
  await expect
    .poll(async () => (await client.call('bash', { command: 'true', background: true })).kind, {
      timeout: 20_000,
    })
    .toBe('ok')
})

test('BASH-01 BOX-02 it ends with the executor', async () => {
  await begin('echo $$ > pid; exec sleep 4711')
  const pid = async () =>
    Number(await readFile(join(client.workspace, 'pid'), 'utf8').catch(() => '0'))
  await expect.poll(pid, { timeout: 20_000 }).toBeGreaterThan(0)
  const its = await pid()
  await client[Symbol.asyncDispose]()
  const isAlive = () => {
    try {
      return process.kill(its, 0)
    } catch {
      return false
    }
  }
  await expect.poll(isAlive, { timeout: 20_000 }).toBe(false)
})

test('BASH-01 FILE-03 a link in place of the folder for logs is not followed', async () => {
  await rm(join(client.workspace, '.jobs'), { recursive: true, force: true })
  await symlink(client.root, join(client.workspace, '.jobs'))
  const outcome = await client.call('bash', { command: 'echo out', background: true })
  expect(errorOf(outcome).category).toBe('policy_blocked')
  expect((await readdir(client.root)).filter((name) => name.endsWith('.log'))).toEqual([])
})
