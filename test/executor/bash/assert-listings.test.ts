import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { errorOf, outputOf, startClient } from '../client.ts'

vi.setConfig({ testTimeout: 120_000 })

async function startWithFiles() {
  const client = await startClient()
  const at = (name: string) => join(client.workspace, name)
  await mkdir(at('src'))
  for (const name of ['a.ts', 'b.ts', 'prod.env']) await writeFile(at(`src/${name}`), `${name}\n`)
  const call = (listing: string, reader: string, directory = client.workspace) =>
    client.call(
      'bash',
      { command: `echo ran >> ran; ${listing} | ${reader}` },
      {
        rules: { ...client.rules, denyByRule: ['*secret*', '*.env'] },
        listings: [{ directory, text: listing }],
      },
    )
  return { client, at, call, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() }
}

test('SHELL-04 SHELL-12 a command runs that is given plain names of files which may be read', async () => {
  await using place = await startWithFiles()
  const found = "find src -name '*.ts' | sort"
  expect(outputOf(await place.call(found, 'xargs cat'))).toBe('a.ts\nb.ts\n')
  await symlink('nothing', place.at('src/dead.ts'))
  expect(outputOf(await place.call('grep -rl b.ts src', 'xargs cat'))).toBe('b.ts\n')
  // The shell does not get there either.
  const missing = await place.call('echo src/a.ts', 'xargs cat', place.at('none'))
  expect(outputOf(missing)).toBe('a.ts\n')
})

test.each([
  ['x prod.env y.ts', 'several words'],
  ['x\nprod.env', 'rules keep'],
  ["it's.ts", 'several words'],
  ['a"b.ts', 'several words'],
  ['back\\slash.ts', 'several words'],
  ['tab\there.ts', 'several words'],
  ['my-secret.ts', 'rules keep'],
  ['MY-SECRET.TS', 'rules keep'],
])(
  'SHELL-04 SHELL-07 a list that holds %j ends the call before the command runs',
  async (name, why) => {
    await using place = await startWithFiles()
    await writeFile(place.at(name), 'x')
    const { category, message } = errorOf(
      await place.call('find . -maxdepth 1 -type f', 'xargs cat'),
    )
    expect(category).toBe('policy_blocked')
    expect(message).toContain('The command did not run')
    expect(message).toContain(why)
    expect(outputOf(await place.client.call('bash', { command: 'ls' }))).not.toContain('ran')
  },
)

test('SHELL-07 THREAT-1 so does one of a link to what is denied or lies outside, and one that would be an option', async () => {
  await using place = await startWithFiles()
  await symlink('prod.env', place.at('src/c.ts'))
  expect(errorOf(await place.call('find src -type l', 'xargs cat')).message).toContain('rules keep')
  await symlink('/etc/passwd', place.at('src/d.ts'))
  const outside = errorOf(await place.call('ls src/d.ts', 'xargs cat'))
  expect(outside.message).toContain('rules keep')
  await writeFile(place.at('--files0-from=x'), '')
  const option = errorOf(await place.call("ls | grep '^-'", 'xargs wc'))
  expect(option.message).toContain('taken for an option')
})

test('SHELL-04 a list is read from where the command stands, and one that is too long or never ends is refused', async () => {
  await using place = await startWithFiles()
  const inside = await place.call('ls', 'xargs cat', place.at('src'))
  expect(errorOf(inside).message).toContain('prod.env')
  const many = await place.call('seq 10001', 'xargs echo')
  expect(errorOf(many).message).toContain('more files than can be checked')
})
