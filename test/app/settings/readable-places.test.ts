import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readablePlaces } from '../../../src/app/settings/readable-places.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'

test('FILE-02 BOX-07 what allow_read makes readable is shown in boxes, also where it is a glob', async () => {
  await using directory = await temporaryDirectory()
  const root = directory.path
  for (const name of ['a', 'b', 'c']) await mkdir(join(root, name, 'docs'), { recursive: true })
  await writeFile(join(root, 'file'), '')
  const places = (...globs: string[]) =>
    readablePlaces(globs.map((glob) => root + glob)).map((place) => place.slice(root.length))
  expect(places('/a/**', '/b/*', '/c', '/file', '/a/docs/**', '/a', '/missing/**')).toEqual(
    '/a /b /c /file /a/docs'.split(' '),
  )
  expect(places('/[ab]/docs/**').sort()).toEqual(['/a/docs', '/b/docs'])
  expect(places('/**/docs')).toEqual([])
  expect(readablePlaces(['/**', '/etc/**', '/tmp/*', 'docs/**', '*.md', '**'])).toEqual([])
})
