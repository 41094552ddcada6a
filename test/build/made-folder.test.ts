import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isCurrent, makeFolder } from '../../build/made-folder.ts'

let root = ''
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'made-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

test('SHIP-01 a bundle counts as built only while its sources are those that it was built of, by name and content', async () => {
  await mkdir(join(root, 'src/deep'), { recursive: true })
  const source = (name: string) => join(root, 'src', name)
  await writeFile(source('a.ts'), 'one')
  await writeFile(source('deep/b.ts'), 'two')
  await writeFile(join(root, 'package.json'), '{}')
  const folder = { root, dir: 'out/dist', sources: ['src', 'package.json'] }
  const make = () => makeFolder(folder, (draft) => writeFile(join(draft, 'main.js'), 'made'))
  expect(isCurrent(folder)).toBe(false)
  await make()
  expect(isCurrent(folder)).toBe(true)
  for (const change of [
    () => writeFile(source('deep/b.ts'), 'twO'),
    () => writeFile(source('c.ts'), ''),
    () => rename(source('c.ts'), source('d.ts')),
    () => rm(source('d.ts')),
    () => writeFile(join(root, 'package.json'), '{ }'),
    () => rm(join(root, 'out/dist/sources.sha256')),
  ]) {
    await change()
    expect(isCurrent(folder)).toBe(false)
    await make()
    expect(isCurrent(folder)).toBe(true)
  }
})

test('SHIP-01 what is built takes the place of what was there whole or not at all, also from several at once', async () => {
  await writeFile(join(root, 'source'), 'text')
  const folder = { root, dir: 'whole/dist', sources: ['source'] }
  const made = (text: string) =>
    makeFolder(folder, async (draft) => {
      await writeFile(join(draft, 'one'), text)
      await writeFile(join(draft, 'two'), text)
    })
  const files = () =>
    Promise.all(['one', 'two'].map((name) => readFile(join(root, 'whole/dist', name), 'utf8')))
  await made('first')
  const failed = makeFolder(folder, async (draft) => {
    await writeFile(join(draft, 'one'), 'broken')
    throw new Error('half')
  })
  await expect(failed).rejects.toThrow('half')
  expect(await files()).toEqual(['first', 'first'])
  await Promise.all(['a', 'b', 'c', 'd'].map(made))
  const [one, two] = await files()
  expect(one).toBe(two)
  expect(one).toMatch(/^[a-d]$/)
  expect(await readdir(join(root, 'whole'))).toEqual(['dist'])
})
