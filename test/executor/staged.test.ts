import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { expect, test, vi } from 'vitest'
import { outputOf, startClient } from './client.ts'

vi.setConfig({ testTimeout: 120_000 })

const source = resolve(import.meta.dirname, '../../src')

function sources(): string[] {
  return ['executor', 'shared'].flatMap((folder) =>
    readdirSync(join(source, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join(folder, path)),
  )
}

test('BOX-02 the executor imports nothing at run time but Node, its own folder and what it shares with the gate', () => {
  for (const path of sources()) {
    const code = stripTypeScriptTypes(readFileSync(join(source, path), 'utf8'))
    const specifiers = [
      ...code.matchAll(/(?<![\w'".])(?:from|import|require)\s*\(?\s*(['"])([^'"]+)\1/g),
    ]
    for (const [, , specifier = ''] of specifiers) {
      const target = join(dirname(path), specifier)
      const isOwn = /^\.\.?\//.test(specifier) && /^(?:executor|shared)\//.test(target)
      expect([path, specifier, isOwn || specifier.startsWith('node:')]).toEqual([
        path,
        specifier,
        true,
      ])
    }
  }
})

test('BOX-02 stripped copies of the files run without the rest of the product', async () => {
  await using stage = await startClient()
  for (const path of sources()) {
    const code = stripTypeScriptTypes(readFileSync(join(source, path), 'utf8'))
    const file = join(stage.workspace, path.replace(/\.ts$/, '.mjs'))
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, code.replaceAll(/(from ')(\.[^']*)\.ts'/g, "$1$2.mjs'"))
  }
  await using client = await startClient({
    main: join(stage.workspace, 'executor/main.mjs'),
    env: { PATH: '/nowhere' },
  })
  await client.call('write', { path: 'a', content: 'staged' })
  expect(outputOf(await client.call('grep', { pattern: 'stag' }))).toBe('a:1: staged')
})
