import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { claimUid } from '../../../src/adapters/sandbox/process/claim-uid.ts'

const range = { first: 52_000, count: 3 }

test('BOX-08 once all user ids are claimed, that of a deleted workspace is reused, by one process alone', async () => {
  const root = makeRoot()
  const names = ['a', 'b', 'c'].map((name) => join(root, name))
  const claimBy = (path: string) => {
    mkdirSync(path, { recursive: true })
    return claimUid(path, root, range)
  }
  const uids: number[] = []
  for (const name of names) uids.push(await claimBy(name))
  expect(new Set(uids).size).toBe(range.count)
  await expect(claimBy(join(root, 'late'))).rejects.toThrow(/no user id is left/)
  rmSync(join(root, 'b'), { recursive: true })
  const late = ['d', 'e', 'f', 'g'].map((name) => join(root, name))
  const settled = await Promise.allSettled(late.map(claimBy))
  const given = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  expect(given).toEqual([uids[1]])
  const winner = late[settled.findIndex(({ status }) => status === 'fulfilled')]
  expect(readlinkSync(join(root, 'uids', String(uids[1])))).toBe(winner)
  for (const [index, name] of names.entries())
    if (index !== 1) expect(await claimBy(name)).toBe(uids[index])
})

test('BOX-08 a workspace whose parent is missing too, as on a disk that is not mounted, keeps its user id', async () => {
  const root = makeRoot()
  const disk = join(root, 'disk')
  mkdirSync(join(disk, 'a'), { recursive: true })
  const only = { ...range, count: 1 }
  const uid = await claimUid(join(disk, 'a'), root, only)
  rmSync(disk, { recursive: true })
  mkdirSync(join(root, 'b'))
  await expect(claimUid(join(root, 'b'), root, only)).rejects.toThrow(/no user id is left/)
  expect(await claimUid(join(disk, 'a'), root, only)).toBe(uid)
})

test.runIf(process.getuid?.() === 0)(
  'BOX-08 a workspace keeps the user id that owns it when an earlier one becomes free',
  async () => {
    const root = makeRoot()
    const names = ['a', 'b', 'c'].map((name) => join(root, name))
    for (const name of names) mkdirSync(name)
    for (const name of names) chownSync(name, await claimUid(name, root, range), 0)
    const before = names.map((name) => statSync(name).uid)
    rmSync(join(root, 'uids', String(before[0])))
    expect(await Promise.all(names.slice(1).map((name) => claimUid(name, root, range)))).toEqual(
      before.slice(1),
    )
  },
)

function makeRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'countersign-claims-'))
  chmodSync(root, 0o755)
  onTestFinished(() => rmSync(root, { recursive: true }))
  return root
}
