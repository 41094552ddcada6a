import type { Config } from '../config/config.ts'
import type { RoleLists } from '../core/inbox/role-lists.ts'

/** CHAT-01: whom the configuration lets in, by platform. */
export function peopleOf({ telegram }: Config): Readonly<Record<string, RoleLists>> {
  const { allowedUsers: users, approvers, operators } = telegram
  return { telegram: { users, approvers, operators } }
}
