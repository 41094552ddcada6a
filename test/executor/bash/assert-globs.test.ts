import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { errorOf, outputOf, startClient } from '../client.ts'

vi.setConfig({ testTimeout: 120_000 })

async function startWithFiles() {
  const client = await startClient()
  const at = (name: string) => join(client.workspace, name)
  await mkdir(at('src'))
  for (const name of ['a.ts', 'b.ts', '.hidden-secret.ts']) await writeFile(at(`src/${name}`), name)
  const cat = (glob = 'src/*.ts') =>
    client.call(
      'bash',
      { command: `echo ran >> ran; cat ${glob}` },
      { rules: { ...client.rules, denyByRule: ['*secret*', '*.env'] }, globs: [at(glob)] },
    )
  return { client, at, cat, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() }
}

test('SHELL-07 a command runs if its wildcard matches nothing that rules deny', async () => {
  await using place = await startWithFiles()
  expect(outputOf(await place.cat())).toBe('a.tsb.ts')
  await symlink('nothing', place.at('src/dead.ts'))
  expect(outputOf(await place.cat())).toContain('a.tsb.ts')
  expect(outputOf(await place.cat('none/*.ts'))).toContain('No such file')
})

test.each(['src/my-secret.ts', 'src/MY-SECRET.TS'])(
  'SHELL-07 a command whose wildcard matches %s does not run, with that reason',
  async (name) => {
    await using place = await startWithFiles()
    await writeFile(place.at(name), 'hidden')
    const { category, message } = errorOf(await place.cat())
    expect(category).toBe('policy_blocked')
    expect(message).toContain('stands for')
    expect(message).toContain('Name the files that you need')
    expect(outputOf(await place.client.call('bash', { command: 'ls' }))).not.toContain('ran')
    await rm(place.at(name))
    expect(outputOf(await place.cat())).toContain('a.ts')
  },
)

test('SHELL-07 THREAT-1 a link with a harmless name to a denied path counts as its target', async () => {
  await using place = await startWithFiles()
  await writeFile(place.at('prod.env'), 'hidden')
  await symlink('../prod.env', place.at('src/c.ts'))
  expect(errorOf(await place.cat()).category).toBe('policy_blocked')
})

test('SHELL-07 matches beyond the number that can be looked up are not shown', async () => {
  await using place = await startWithFiles()
  for (let count = 0; count < 10_001; count += 1) await writeFile(place.at(`src/${count}.ts`), '')
  expect(errorOf(await place.cat()).message).toContain('more files than can be checked')
})
