import type { Config } from '../config/config.ts'
import type { RoleLists } from '../core/context.ts'
import { listedPeople } from '../core/people/role-lists.ts'

/** CHAT-01: whom the configuration lets in, by platform. */
export function peopleOf({ telegram, slack }: Config): Readonly<Record<string, RoleLists>> {
  return { telegram: listsOf(telegram), slack: listsOf(slack) }
}

function listsOf({ allowedUsers, approvers, operators }: Config['telegram' | 'slack']): RoleLists {
  return { users: allowedUsers, approvers, operators }
}

/** The same for an agent apart: where its configuration names nobody, it is told nothing, and who people are is the gateways' word. */
export function peopleToldTo(config: Config): Readonly<Record<string, RoleLists>> {
  const told = Object.entries(peopleOf(config)).filter(
    ([platform, lists]) => listedPeople(platform, lists).length > 0,
  )
  return Object.fromEntries(told)
}
