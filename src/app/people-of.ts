import type { Config } from '../config/config.ts'
import type { RoleLists } from '../core/context.ts'
import { listedPeople } from '../core/people/people.ts'

/** CHAT-01: returns the configured people by platform. */
export function peopleOf({ telegram, slack }: Config): Readonly<Record<string, RoleLists>> {
  return { telegram: listsOf(telegram), slack: listsOf(slack) }
}

function listsOf({ allowedUsers, approvers, operators }: Config['telegram' | 'slack']): RoleLists {
  return { users: allowedUsers, approvers, operators }
}

/** Returns the configured people for a separate agent, without platforms that name nobody, for which gateways decide. */
export function peopleForAgent(config: Config): Readonly<Record<string, RoleLists>> {
  const named = Object.entries(peopleOf(config)).filter(
    ([platform, lists]) => listedPeople(platform, lists).length > 0,
  )
  return Object.fromEntries(named)
}
