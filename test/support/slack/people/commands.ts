import type { ChannelState } from '../channels.ts'
import { Refusal } from '../limits/refusal.ts'
import { respond } from '../respond/respond.ts'
import type { SlackUser } from '../users.ts'
import type { World } from '../world.ts'
import { type Interaction, nameOf } from './interactions.ts'

/**
 * Types a slash command: https://docs.slack.dev/interactivity/implementing-slash-commands. What comes with the
 * acknowledgement is shown, and what Slack cannot show is the interaction's failure.
 */
export function typeCommand(
  world: World,
  state: ChannelState,
  user: SlackUser,
  typed: { readonly command: string; readonly text: string },
): Interaction {
  const { app } = world
  const known = app.commands?.has(typed.command) ?? true
  if (!known || !app.scopes.has('commands')) throw new Error(`there is no command ${typed.command}`)
  const triggerId = world.triggers.add(user.id)
  const responseUrl = world.responseUrls.add('commands', {
    channelId: state.id,
    userId: user.id,
    messageTs: undefined,
    threadTs: undefined,
  })
  const payload = {
    token: 'verification-token-of-the-stand-in',
    team_id: app.teamId,
    team_domain: world.teams.get(app.teamId)?.domain,
    channel_id: state.id,
    channel_name: nameOf(state),
    user_id: user.id,
    user_name: user.name,
    command: typed.command,
    text: typed.text,
    api_app_id: app.id,
    is_enterprise_install: 'false',
    response_url: `${world.url}${responseUrl.path}`,
    trigger_id: triggerId,
  }
  const outcome = world.deliveries.once('slash_commands', payload, true).then((result) => {
    if (result.kind !== 'acked' || isEmpty(result.body)) return result
    try {
      respond(world, responseUrl, result.body)
      return result
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { kind: 'failed' as const, reason: error.message }
    }
  })
  world.changed()
  return { triggerId, responseUrl: payload.response_url, outcome }
}

function isEmpty(body: unknown): boolean {
  if (body === undefined || body === null || body === '') return true
  return typeof body === 'object' && Object.keys(body).length === 0
}
