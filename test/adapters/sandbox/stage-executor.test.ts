import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { stageExecutor, toPlainModule } from '../../../src/adapters/sandbox/stage-executor.ts'
import { makeSandboxPlace } from './fixtures/sandbox-place.ts'

function writeProgram(dir: string, word: string): void {
  mkdirSync(join(dir, 'inner'), { recursive: true })
  writeFileSync(
    join(dir, 'main.ts'),
    "import type { Shape } from '../domain/shape.ts'\nimport { word } from './inner/word.ts'\nconst shape: Shape = { word }\nconsole.log((await import('./inner/more.ts')).more, shape.word)\n",
  )
  writeFileSync(join(dir, 'inner/word.ts'), `export const word: string = '${word}'\n`)
  writeFileSync(join(dir, 'inner/more.ts'), "export { word as more } from '../inner/word.ts'\n")
}

test('BOX-02 the executor becomes plain modules that run without type stripping', async () => {
  await using place = makeSandboxPlace()
  const source = join(place.dir, 'source')
  writeProgram(source, 'hello')
  const staged = await stageExecutor(source, join(place.dir, 'cache'))
  const main = join(staged, 'main.mjs')
  const output = execFileSync(process.execPath, ['--no-experimental-strip-types', main])
  expect(String(output)).toBe('hello hello\n')
})

test('BOX-02 staging again, even concurrently, gives one directory; a changed source another', async () => {
  await using place = makeSandboxPlace()
  const [source, cache] = [join(place.dir, 'source'), join(place.dir, 'cache')]
  writeProgram(source, 'one')
  const all = await Promise.all(Array.from({ length: 5 }, () => stageExecutor(source, cache)))
  expect(new Set(all).size).toBe(1)
  expect(readdirSync(cache)).toHaveLength(1)
  const before = statSync(all[0] ?? '').ino
  expect(statSync(await stageExecutor(source, cache)).ino).toBe(before)
  writeProgram(source, 'two')
  expect(await stageExecutor(source, cache)).not.toBe(all[0])
})

test('BOX-02 an executor that imports values from outside its directory is refused', () => {
  const text = "import { secret } from '../config/env.ts'\nconsole.log(secret)\n"
  expect(() => toPlainModule({ path: 'main.ts', text })).toThrow('outside its folder')
  expect(toPlainModule({ path: 'bash/run.ts', text })).toContain("'../config/env.mjs'")
  const up = "export { up } from '../../util/up.ts'\n"
  expect(() => toPlainModule({ path: 'shared/glob/a.ts', text: up })).toThrow('outside its folder')
})

test('BOX-02 GATE-08 modules shared with the gate are included, and a change of them makes another directory', async () => {
  await using place = makeSandboxPlace()
  const [source, shared, cache] = ['source', 'shared', 'cache'].map((dir) => join(place.dir, dir))
  if (source === undefined || shared === undefined || cache === undefined) throw new Error('three')
  const write = (word: string) => {
    mkdirSync(join(source, 'inner'), { recursive: true })
    mkdirSync(join(shared, 'deep'), { recursive: true })
    writeFileSync(join(shared, 'deep/one.ts'), `export { two } from '../two.ts'\n`)
    writeFileSync(join(shared, 'two.ts'), `export const two: string = '${word}'\n`)
    writeFileSync(join(source, 'inner/a.ts'), "export { two as a } from '../../shared/two.ts'\n")
    writeFileSync(
      join(source, 'main.ts'),
      "import { two } from '../shared/deep/one.ts'\nimport { a } from './inner/a.ts'\nconsole.log(two, a)\n",
    )
  }
  write('hello')
  const staged = await stageExecutor(source, cache)
  const main = join(staged, 'main.mjs')
  const output = execFileSync(process.execPath, ['--no-experimental-strip-types', main])
  expect(String(output)).toBe('hello hello\n')
  write('other')
  expect(await stageExecutor(source, cache)).not.toBe(staged)
})
