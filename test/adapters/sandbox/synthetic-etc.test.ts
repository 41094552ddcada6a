import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { syntheticEtc } from '../../../src/adapters/sandbox/bubblewrap/synthetic-etc.ts'
import { makeSandboxPlace } from './fixtures/sandbox-place.ts'

test('BOX-04 the files of a box’s /etc are the same after another start, as a box may be mounting them', async () => {
  await using place = makeSandboxPlace()
  const cache = join(place.dir, 'cache')
  const [one, other] = await Promise.all([syntheticEtc(cache), syntheticEtc(cache)])
  const hosts = one.filter((argument) => argument.startsWith(cache))
  expect(hosts).toHaveLength(5)
  const before = hosts.map((file) => statSync(file).ino)
  expect([other, await syntheticEtc(cache)]).toEqual([one, one])
  expect(hosts.map((file) => statSync(file).ino)).toEqual(before)
  expect(readdirSync(cache)).toHaveLength(1)
})
