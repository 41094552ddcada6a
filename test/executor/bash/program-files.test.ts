import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { outputOf, startClient } from '../client.ts'

vi.setConfig({ testTimeout: 120_000 })

const script = '#!/bin/bash\necho ran >> ran\n'

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

test("APPR-24 an inspection of a command's programs returns size and digest, and runs nothing", async () => {
  await using client = await startClient()
  const at = (name: string) => join(client.workspace, name)
  await writeFile(at('go.sh'), script, { mode: 0o755 })
  await symlink('go.sh', at('link.sh'))
  await mkdir(at('folder'))
  execFileSync('mkfifo', [at('pipe')])
  const programs = ['go.sh', 'link.sh', 'folder', 'pipe', 'none'].map(at)
  const outcome = await client.call('bash', { command: './go.sh' }, { preview: true, programs })
  const file = { kind: 'file', bytes: script.length, sha256: digestOf(script) }
  const absent = { kind: 'absent' }
  expect(outcome).toEqual({ kind: 'programs', files: [file, file, absent, absent, absent] })
  expect(await readdir(client.workspace)).not.toContain('ran')
})

test('APPR-24 an inspection without programs runs nothing either', async () => {
  await using client = await startClient()
  const outcome = await client.call('bash', { command: 'echo x > made' }, { preview: true })
  expect(outcome).toMatchObject({ kind: 'error' })
  expect(await readdir(client.workspace)).toEqual([])
})

test('APPR-24 a program that differs from the approved one is not run; the approved one is', async () => {
  await using client = await startClient()
  const path = join(client.workspace, 'go.sh')
  await writeFile(path, script)
  await chmod(path, 0o755)
  const approved = { programs: [path], baseSha256: digestOf(digestOf(script)) }
  const run = () => client.call('bash', { command: './go.sh && cat ran' }, approved)
  expect(outputOf(await run())).toBe('ran\n')
  await writeFile(path, `${script}rm -rf .\n`)
  expect(await run()).toMatchObject({ kind: 'changed' })
  await writeFile(path, script)
  expect(outputOf(await run())).toBe('ran\nran\n')
})
