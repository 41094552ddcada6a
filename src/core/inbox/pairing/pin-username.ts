import { findPin, pinUsername, releaseUsername } from '../../../db/people/username-pins.ts'
import type { Incoming } from '../../../ports/chat.ts'
import { record } from '../../audit/record.ts'
import { isOfOtherTeam } from '../../kernel/is-of-other-team.ts'
import { listedPeople } from '../../kernel/role-lists.ts'
import { transact } from '../../kernel/transact.ts'
import type { IntakeKernel } from '../intake-context.ts'

/**
 * THREAT-7: names can be given up and taken. The first account that comes with a username of the configuration has it
 * from then on, whatever it calls itself later; nobody else gets it.
 */
export async function pinUsernameOf(kernel: IntakeKernel, { platform, from }: Incoming) {
  const username = from.username?.toLowerCase()
  if (username === undefined || !isListed(kernel, platform, username)) return
  const owner = await findPin(kernel.db, platform, username)
  // A name of a workspace that is not served any more is nobody's.
  const isFree = owner === undefined || (await isOfOtherTeam(kernel.db, owner))
  if (!isFree) return
  await transact(kernel, async (db) => {
    if (owner !== undefined) await releaseUsername(db, platform, username, owner)
    if (!(await pinUsername(db, platform, username, from.id))) return
    const note = `is from now on the ${username} of the ${platform} configuration`
    await record(db, { kind: 'command', chain: 'system', caller_id: from.id, note })
  })
}

function isListed({ people }: IntakeKernel, platform: string, username: string): boolean {
  const lists = people[platform]
  if (lists === undefined) return false
  return listedPeople(platform, lists).some(
    ({ person }) => person.kind === 'username' && person.username === username,
  )
}
