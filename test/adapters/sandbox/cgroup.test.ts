import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openCgroups } from '../../../src/adapters/sandbox/bubblewrap/cgroup.ts'
import { makeSandboxPlace } from './fixtures/sandbox-place.ts'

test('BOX-04 a directory that does not behave like a delegated control group is left unchanged', async () => {
  await using place = makeSandboxPlace()
  const [root, membership] = [join(place.dir, 'cgroup'), join(place.dir, 'membership')]
  mkdirSync(join(root, 'unit'), { recursive: true })
  writeFileSync(membership, '9:name=systemd:/\n0::/unit\n')
  expect(await openCgroups(root, membership)).toBeUndefined()
  expect(readdirSync(join(root, 'unit'))).not.toContainEqual(expect.stringMatching(/^countersign-/))
})

test('BOX-04 without control groups of version 2 there are no limits', async () => {
  await using place = makeSandboxPlace()
  const membership = join(place.dir, 'membership')
  writeFileSync(membership, '9:name=systemd:/\n1:cpu:/\n')
  expect(await openCgroups(place.dir, membership)).toBeUndefined()
})
