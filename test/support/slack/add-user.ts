import type { SlackUser, UserOptions } from './users.ts'
import type { World } from './world.ts'

/** Somebody new, or the user of a bot. */
export function addUser(
  world: World,
  name: string,
  options: UserOptions,
  botId?: string,
): SlackUser {
  const kind = options.kind ?? 'person'
  const user: SlackUser = {
    id: options.id ?? world.id('U'),
    teamId: options.teamId ?? world.app.teamId,
    name,
    realName: options.realName ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    kind,
    guest: options.guest,
    isAdmin: options.isAdmin ?? false,
    timeZone: options.timeZone ?? 'Europe/Berlin',
    locale: options.locale ?? 'en-US',
    botId: kind === 'person' ? undefined : (botId ?? world.id('B')),
    deleted: options.deleted ?? false,
  }
  if (world.users.has(user.id)) throw new Error(`there is a user ${user.id} already`)
  world.users.set(user.id, user)
  return user
}
