import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { ExecutorOutcome } from '../../../src/domain/tool/executor-protocol.ts'
import { type Client, errorOf, outputOf, startClient } from '../client.ts'

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

/** The files of orders with which a call goes back to the gate, relative to the workspace. */
function foundIn(client: Client, outcome: ExecutorOutcome): readonly string[] {
  if (outcome.kind !== 'elsewhere') throw new Error(JSON.stringify(outcome))
  return outcome.canonical.map((path) => relative(client.workspace, path))
}

async function startWithGlobs() {
  const place = await startWithFiles()
  const { client } = place
  const run = (glob: string, how: { mayWrite?: true; into?: string } = {}) =>
    client.call(
      'bash',
      { command: `echo ran >> ran; echo ${glob}` },
      {
        rules: { ...client.rules, denyByRule: ['*secret*', '*.env', 'out/kept.*'] },
        listings: [
          { directory: client.workspace, text: `printf '%s\\0' ${glob}`, isNul: true, ...how },
        ],
      },
    )
  const messageOf = async (...args: Parameters<typeof run>) => errorOf(await run(...args)).message
  const foundBy = async (...args: Parameters<typeof run>) => foundIn(client, await run(...args))
  return {
    ...place,
    run,
    messageOf,
    foundBy,
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

test('SHELL-07 SHELL-12 a command runs if its wildcards stand for nothing that rules deny', async () => {
  await using place = await startWithGlobs()
  await writeFile(place.at('src/with blank.ts'), '')
  expect(outputOf(await place.run('src/*.ts */b.ts'))).toContain('src/a.ts src/b.ts')
  expect(outputOf(await place.run('none/*.ts x*'))).toContain('none/*.ts')
  await symlink('nothing', place.at('src/dead.ts'))
  expect(outputOf(await place.run('src/*.ts'))).toContain('dead.ts')
  expect(await place.messageOf('src/*.ts', { mayWrite: true })).toContain('rules keep')
})

test.each([
  ['src/my-secret.ts', 'src/*', 'rules keep'],
  ['src/MY-SECRET.TS', '*/*.TS', 'rules keep'],
  ['--files0-from=x', '*', 'option'],
  ['-x\ny', '*', 'several words'],
  ['x\nprod.env', 'x*', 'several words'],
  ['+!id', '*', 'option'],
  ['$(shell id)=x.mk', '*.mk', 'option'],
  ['a b=c', '*', 'option'],
  ['|id', '*', 'option'],
  ['CC=sh', '*', 'option'],
  ['host:x', '*', 'option'],
  ['@args', '*', 'option'],
])('SHELL-07 SHELL-10 a file %j ends a command of %j before it runs', async (name, glob, why) => {
  await using place = await startWithGlobs()
  await rm(place.at('src/prod.env'))
  expect(outputOf(await place.run(glob))).not.toBe('')
  await writeFile(place.at(name), '')
  await rm(place.at('ran'))
  expect(await place.messageOf(glob)).toContain(why)
  expect(outputOf(await place.client.call('bash', { command: 'ls' }))).not.toContain('ran')
})

test('SHELL-07 THREAT-1 a link to a denied file or out of the workspace counts as its target', async () => {
  await using place = await startWithGlobs()
  await symlink('prod.env', place.at('src/c.ts'))
  expect(await place.messageOf('src/*.ts')).toContain('src/c.ts')
  await symlink('/etc', place.at('far'))
  expect(await place.messageOf('f*/passwd')).toContain('rules keep')
  expect(await place.messageOf('*')).toContain('far')
})

test('SHELL-11 a command that may write is given no file of orders, nor copies to one', async () => {
  await using place = await startWithGlobs()
  const mayWrite = true as const
  await mkdir(place.at('out'))
  await mkdir(place.at('mise'))
  for (const name of ['mcp.json', 'config.toml', 'kept.md']) await writeFile(place.at(name), '')
  expect(outputOf(await place.run('*.json'))).toBe('mcp.json\n')
  expect(await place.foundBy('*.json', { mayWrite })).toEqual(['mcp.json'])
  const into = (directory: string) => ({ mayWrite, into: place.at(directory) })
  expect(outputOf(await place.run('*.toml', into('out')))).toBe('config.toml\n')
  expect(await place.foundBy('*.toml', into('mise'))).toEqual(['mise/config.toml'])
  expect(await place.messageOf('*.md', into('out'))).toContain('did not run')
})

test.each(['$(id).tex', 'x`id`.tex', 'a;id.tex', 'x|y.tex', '\\immediate.tex', 'a"b.tex'])(
  'SHELL-07 SHELL-10 a command that may write is not given a file %j, one that only reads is',
  async (name) => {
    await using place = await startWithGlobs()
    await writeFile(place.at(name), '')
    expect(outputOf(await place.run('*.tex'))).toContain(name)
    expect(await place.messageOf('*.tex', { mayWrite: true })).toContain('for a command')
  },
)

test('SHELL-11 THREAT-1 a link to a file of orders counts as that, for what is written and what it is copied over', async () => {
  await using place = await startWithGlobs()
  const mayWrite = true as const
  await mkdir(place.at('out'))
  await mkdir(place.at('.vscode'))
  await writeFile(place.at('.vscode/settings.json'), '{}')
  await symlink('.vscode', place.at('ide'))
  await symlink('.vscode/settings.json', place.at('a.json'))
  await writeFile(place.at('b.md'), '')
  await symlink('../.npmrc', place.at('out/b.md'))
  await writeFile(place.at('.npmrc'), '')
  expect(outputOf(await place.run('ide/*.json'))).toContain('ide/settings.json')
  const settings = ['.vscode/settings.json']
  expect(await place.foundBy('ide/*.json', { mayWrite })).toEqual(settings)
  expect(await place.foundBy('a.json* a.jso*', { mayWrite })).toEqual(settings)
  const into = (directory: string) => ({ mayWrite, into: place.at(directory) })
  expect(await place.foundBy('*.md', into('out'))).toEqual(['.npmrc'])
  expect(await place.foundBy('*.md', into('ide'))).toEqual(['.vscode'])
})

test('SHELL-11 THREAT-30 a copied directory is looked into, also beside the directory that it is merged with', async () => {
  await using place = await startWithGlobs()
  for (const folder of ['d/x/.git/hooks', 'd/y/deep', 'out/y', '.git'])
    await mkdir(place.at(folder), { recursive: true })
  for (const file of ['d/x/.git/hooks/pre-commit', 'd/y/deep/a.ts', 'd/y/b', '.git/config'])
    await writeFile(place.at(file), '')
  const into = (directory: string) => ({ mayWrite: true as const, into: place.at(directory) })
  expect(await place.foundBy('d/*', into('.'))).toEqual(['x/.git'])
  expect(await place.foundBy('d/x*', into('out'))).toEqual(['out/x/.git'])
  expect(outputOf(await place.run('d/y*', into('out')))).toBe('d/y\n')
  await symlink('../../.git/config', place.at('out/y/b'))
  expect(await place.foundBy('d/y*', into('out'))).toEqual(['.git/config'])
  await mkdir(place.at('d/y/deep/node_modules/.bin'), { recursive: true })
  expect(outputOf(await place.run('d/y*', into('.')))).toBe('d/y\n')
  await writeFile(place.at('d/y/deep/HEAD'), '')
  expect(await place.foundBy('d/y*', into('.'))).toEqual(['y/deep/HEAD'])
})

async function startWithLinks(env: Readonly<Record<string, string>> = {}) {
  const client = await startClient({ env })
  const at = (name: string) => join(client.workspace, name)
  for (const folder of ['a', 'sub/.husky', '.git/hooks', 'big'])
    await mkdir(at(folder), { recursive: true })
  await writeFile(at('.git/config'), '')
  await writeFile(at('sub/.husky/pre-commit'), '')
  const run = (
    written: readonly { path: string; from?: readonly string[] }[],
    judged: readonly string[] = [],
  ) =>
    client.call(
      'bash',
      { command: 'echo ran' },
      {
        written: written.map(({ path, from = [] }) => ({ path: at(path), from: from.map(at) })),
        judged: judged.map(at),
      },
    )
  const found = async (...args: Parameters<typeof run>) => foundIn(client, await run(...args))
  return { client, at, run, found, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() }
}

test.each([
  ['../.git/hooks', 'a/l/pre-commit', '.git/hooks/pre-commit'],
  ['../.git/hooks/pre-commit', 'a/l', '.git/hooks/pre-commit'],
  ['../.GIT/config', 'a/l', '.GIT/config'],
  ['m', 'a/l/x', '.husky'],
  ['../.github', 'a/l/workflows/x.yml', '.github'],
  ['../.vscode/new', 'a/l/tasks.json', '.vscode/new'],
])(
  'SHELL-11 THREAT-1 a link to %s in the way of %s is found before the command runs',
  async (target, path, found) => {
    await using place = await startWithLinks()
    await symlink('../.husky', place.at('a/m'))
    await symlink(target, place.at('a/l'))
    expect(await place.found([{ path }])).toEqual([found])
    expect(outputOf(await place.run([{ path }], [found]))).toBe('ran\n')
  },
)

test('SHELL-11 THREAT-1 a file is copied over no link, and a directory with all that it holds', async () => {
  await using place = await startWithLinks()
  await symlink('../.git/config', place.at('a/x'))
  expect(await place.found([{ path: 'a', from: ['x'] }])).toEqual(['.git/config'])
  expect(outputOf(await place.run([{ path: 'a', from: ['y'] }, { path: 'a/y/z' }]))).toBe('ran\n')
  expect(await place.found([{ path: 'new', from: ['sub'] }])).toEqual(['new/.husky'])
  expect(await place.found([{ path: '.', from: ['sub'] }], ['x'])).toEqual(['sub/.husky'])
  expect(outputOf(await place.run([{ path: '.', from: ['sub'] }], ['sub/.husky']))).toBe('ran\n')
})

test('SHELL-11 THREAT-1 links that a command brings, and longer names that it makes, count too', async () => {
  await using place = await startWithLinks()
  const config = ['.git/config']
  await symlink('../.git/config', place.at('a/xaa'))
  expect(await place.found([{ path: 'a/x' }])).toEqual(config)
  expect(await place.found([{ path: 'b', from: ['a'] }])).toEqual(config)
  expect(await place.found([{ path: 'b', from: ['a/xaa'] }])).toEqual(config)
  expect(await place.found([{ path: '.', from: ['d/HEAD'] }])).toEqual(['HEAD'])
  // It leads to hooks only where it is brought to.
  await symlink('.git/hooks', place.at('m'))
  await mkdir(place.at('d/e'), { recursive: true })
  await symlink('../m', place.at('d/e/l'))
  expect(await place.found([{ path: 'out', from: ['d/e'] }])).toEqual(['.git/hooks'])
  expect(outputOf(await place.run([{ path: 'd/e/y' }]))).toBe('ran\n')
})

test('SHELL-11 BASH-10 a link that leads outside is found where nothing but words confines commands', async () => {
  await using place = await startWithLinks({ COUNTERSIGN_REFUSE: 'network,outside' })
  await symlink(place.client.root, place.at('a/l'))
  await symlink('/dev/null', place.at('a/null'))
  const [path, far] = ['a/l/x', '../x']
  expect(await place.found([{ path }])).toEqual([far])
  expect(outputOf(await place.run([{ path }, { path: 'a/null' }], [far]))).toBe('ran\n')
  await using confined = await startWithLinks()
  await symlink(confined.client.root, confined.at('a/l'))
  expect(outputOf(await confined.run([{ path }]))).toBe('ran\n')
})

test('SHELL-11 a link into a store of packages is none to orders, and one question stands for many files', async () => {
  await using place = await startWithLinks()
  await mkdir(place.at('node_modules/.pnpm/x@1/node_modules/x'), { recursive: true })
  await symlink('.pnpm/x@1/node_modules/x', place.at('node_modules/x'))
  expect(outputOf(await place.run([{ path: 'node_modules/x/a.js' }]))).toBe('ran\n')
  expect(await place.found([{ path: 'node_modules/x/.npmrc' }])).toEqual([
    'node_modules/.pnpm/x@1/node_modules/x/.npmrc',
  ])
  for (let at = 0; at < 13; at += 1) await mkdir(place.at(`big/${at}/.idea`), { recursive: true })
  const many = [{ path: 'out', from: ['big'] }]
  expect(await place.found(many)).toEqual([''])
  expect(outputOf(await place.run(many, ['.']))).toBe('ran\n')
})
