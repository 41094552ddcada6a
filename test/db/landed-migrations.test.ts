import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import {
  type Landed,
  landedFile,
  parseLanded,
  presentSteps,
} from '../support/database/landed-migrations.ts'

const landed = parseLanded(await readFile(landedFile, 'utf8'))

/** Breaches of the rule that databases rely on: steps that landed stay what and where they are. */
function breaches(list: readonly Landed[], present: readonly Landed[]): readonly string[] {
  const digests = new Map(present.map(({ file, sha256 }) => [file, sha256]))
  const listed = new Set(list.map(({ file }) => file))
  return [
    ...list
      .filter(({ file }) => !digests.has(file))
      .map(({ file }) => `removed or renamed: ${file}`),
    ...list
      .filter(({ file, sha256 }) => digests.has(file) && digests.get(file) !== sha256)
      .map(({ file }) => `edited: ${file}`),
    ...list
      .filter(({ file }, index) => list.slice(0, index).some((earlier) => earlier.file >= file))
      .map(({ file }) => `named before one that landed earlier, give it a later time: ${file}`),
    ...present
      .filter(({ file }) => !listed.has(file))
      .map(({ file }) => `not in migrations/landed.txt, run npm run landed: ${file}`),
  ]
}

test('STORE-03 no step that landed was renamed, edited or removed, and none was put before another', async () => {
  expect(breaches(landed, await presentSteps())).toEqual([])
})

test('STORE-03 the list of landed steps only grows at its end', () => {
  const first = landed.slice(0, 16).map(({ file, sha256 }) => `${sha256}  ${file}\n`)
  const digest = createHash('sha256').update(first.join('')).digest('hex')
  expect(digest).toBe('f3758b39bd90d764a60cfa2d48a7f3f748d42e1fc60e3b96bff78bd1866a83ed')
})

test('STORE-03 a step that is renamed, edited, removed, put before another or not listed is named', () => {
  const [a, b, c] = ['1-a.ts', '2-b.ts', '3-c.ts'].map((file) => ({ file, sha256: file })) as [
    Landed,
    Landed,
    Landed,
  ]
  expect(breaches([a, b], [a, b])).toEqual([])
  expect(breaches([a, b], [a])).toEqual(['removed or renamed: 2-b.ts'])
  expect(breaches([a, b], [a, { ...b, sha256: 'other' }])).toEqual(['edited: 2-b.ts'])
  expect(breaches([a, c, b], [a, b, c])).toEqual([
    'named before one that landed earlier, give it a later time: 2-b.ts',
  ])
  expect(breaches([a], [a, b])).toEqual([
    'not in migrations/landed.txt, run npm run landed: 2-b.ts',
  ])
  expect(breaches([a, b], [a, c])).toEqual([
    'removed or renamed: 2-b.ts',
    'not in migrations/landed.txt, run npm run landed: 3-c.ts',
  ])
})
