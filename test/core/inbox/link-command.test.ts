import { describe, expect, test } from 'vitest'
import { findOpenCodes } from '../../../src/db/people/pairing.ts'
import { sha256 } from '../../../src/util/digest.ts'
import { ada, type BenchContext, bob } from '../../support/bench-context.ts'
import { openPlace, posted, write } from '../approval/asked-elsewhere.ts'

/** The hashes of codes that are good, with the account that each links with. */
async function openCodes({ database }: BenchContext): Promise<readonly unknown[]> {
  const rows = await database.db
    .selectFrom('pairing_code')
    .select(['code_sha256', 'links', 'role'])
    .where('used_at', 'is', null)
    .execute()
  return rows.map(({ code_sha256, links, role }) => [code_sha256, links, role])
}

async function lastCode(bench: BenchContext): Promise<string> {
  const [, code = ''] = /^\S+: (\S{15})$/m.exec((await posted(bench)).at(-1) ?? '') ?? []
  return code
}

describe('/link', () => {
  test('CHAT-01 answers with a code in private, of which the hash is kept; a second one ends the first, and no other’s', async () => {
    await using bench = await openPlace({ reachable: [ada, bob] })
    await write(bench, ada.name, ada, '/link')
    const first = await lastCode(bench)
    await write(bench, bob.name, bob, '/link')
    const bobs = await lastCode(bench)
    await write(bench, ada.name, ada, '/link')
    const second = await lastCode(bench)
    expect(new Set([first, second, bobs]).size).toBe(3)
    const hash = (code: string) => sha256(code.replaceAll('-', ''))
    expect(await openCodes(bench)).toEqual([
      [hash(bobs), bob.id, null],
      [hash(second), ada.id, null],
    ])
    // They give no role, so that nobody is told of them as of invitations.
    expect(await findOpenCodes(bench.database.db)).toEqual([])
  })

  test('CHAT-01 gives no code where it is not certain that nobody else reads', async () => {
    await using bench = await openPlace({ reachable: [ada] })
    await write(bench, 'a group', ada, '/link')
    await write(bench, ada.name, bob, '/link')
    expect(await openCodes(bench)).toEqual([])
    expect((await posted(bench)).join('\n')).toMatch(
      /a group: Write \/link to me in a private chat/,
    )
  })
})
