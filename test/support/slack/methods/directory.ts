import { type ChannelState, createChannel, openIm, toApiChannel } from '../channels.ts'
import { Refusal } from '../limits/refusal.ts'
import { type SlackUser, toApiUser } from '../users.ts'
import { type Call, needScope } from './method.ts'
import { visibleChannel } from './places.ts'

type Result = Readonly<Record<string, unknown>>

export function authTest({ world, app }: Call): Result {
  const team = world.teams.get(app.teamId)
  return {
    url: `https://${team?.domain}.slack.com/`,
    team: team?.name,
    user: world.users.get(app.userId)?.name,
    team_id: app.teamId,
    user_id: app.userId,
    bot_id: app.botId,
    is_enterprise_install: false,
  }
}

export function openConnection({ world, sockets }: Call): Result {
  return { url: `${world.url.replace(/^http/, 'ws')}${sockets.ticket()}` }
}

export function usersInfo({ world, app, params }: Call): Result {
  const user = world.users.get(params.required('user'))
  if (user === undefined) throw new Refusal('user_not_found')
  if (user.teamId !== app.teamId && !isNear(world.channels.values(), user, app.userId)) {
    throw new Refusal('user_not_visible')
  }
  const shown = toApiUser(user, app.teamId)
  return { user: { ...shown, ...(params.flag('include_locale') && { locale: user.locale }) } }
}

/** Of people of other teams an app knows those in its channels. */
function isNear(channels: Iterable<ChannelState>, user: SlackUser, appUser: string): boolean {
  for (const { members } of channels) if (members.has(user.id) && members.has(appUser)) return true
  return false
}

const readScope = {
  channel: 'channels:read',
  group: 'groups:read',
  im: 'im:read',
  mpim: 'mpim:read',
} as const

export function conversationsInfo(call: Call): Result {
  const state = visibleChannel(call)
  needScope(call, readScope[state.kind])
  const members = call.params.flag('include_num_members') && { num_members: state.members.size }
  return { channel: { ...toApiChannel(state, call.app), ...members } }
}

/** Opens the direct messages with one person, or with up to eight. */
export function conversationsOpen(call: Call): Result {
  const { world, app, params } = call
  const wanted = params.text('channel') === undefined ? undefined : visibleChannel(call)
  if (wanted !== undefined && wanted.kind !== 'im' && wanted.kind !== 'mpim') {
    throw new Refusal('method_not_supported_for_channel_type')
  }
  const state = wanted ?? openWith(call)
  const full = params.flag('return_im') ? toApiChannel(state, app) : { id: state.id }
  world.changed()
  return { channel: full, no_op: wanted !== undefined }
}

function openWith(call: Call): ChannelState {
  const { world, app, params } = call
  const ids = (params.text('users') ?? '').split(',').filter((id) => id !== '')
  if (ids.length === 0) throw new Refusal('users_list_not_supplied')
  if (ids.length > 8) throw new Refusal('too_many_users')
  const users = ids.map((id) => world.users.get(id))
  if (!users.every((user) => user !== undefined)) throw new Refusal('user_not_found')
  if (users.some(({ deleted }) => deleted)) throw new Refusal('user_disabled')
  const [first, ...others] = users
  if (first === undefined || others.length > 0) {
    needScope(call, 'mpim:write')
    const name = `mpdm-${users.map((user) => user.name).join('--')}-1`
    return createChannel(world, { kind: 'mpim', name, members: [...ids, app.userId] })
  }
  needScope(call, 'im:write')
  if (first.id === app.userId) throw new Refusal('channel_not_found')
  return openIm(world, first)
}
