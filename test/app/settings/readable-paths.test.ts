import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readablePaths } from '../../../src/app/settings/paths.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'

test('FILE-02 BOX-07 paths that allow_read makes readable are mounted in boxes, also for globs', async () => {
  await using directory = await temporaryDirectory()
  const root = directory.path
  for (const name of ['a', 'b', 'c']) await mkdir(join(root, name, 'docs'), { recursive: true })
  await writeFile(join(root, 'file'), '')
  const places = (...globs: string[]) =>
    readablePaths(globs.map((glob) => root + glob)).map((place) => place.slice(root.length))
  expect(places('/a/**', '/b/*', '/c', '/file', '/a/docs/**', '/a', '/missing/**')).toEqual(
    '/a /b /c /file /a/docs'.split(' '),
  )
  expect(places('/[ab]/docs/**').sort()).toEqual(['/a/docs', '/b/docs'])
  expect(places('/**/docs')).toEqual([])
  expect(readablePaths(['/**', '/etc/**', '/tmp/*', 'docs/**', '*.md', '**'])).toEqual([])
})
