import type { ChannelState } from '../channels.ts'
import type { AckOutcome } from '../delivery/transport.ts'
import type { SlackUser } from '../users.ts'
import type { World } from '../world.ts'

/** Something that somebody did and waits for. */
export interface Interaction {
  readonly triggerId: string
  /** Absolute; undefined where Slack gives none. */
  readonly responseUrl: string | undefined
  /** What the app said to it within its 3 seconds, or that it said nothing. */
  readonly outcome: Promise<AckOutcome>
}

/** What every interaction tells. */
export function interactionBase(world: World, user: SlackUser): Record<string, unknown> {
  const { app } = world
  const team = world.teams.get(app.teamId)
  return {
    user: { id: user.id, username: user.name, name: user.name, team_id: user.teamId },
    api_app_id: app.id,
    token: 'verification-token-of-the-stand-in',
    team: { id: app.teamId, domain: team?.domain },
    enterprise: null,
    is_enterprise_install: false,
  }
}

/** The name that payloads give a conversation. */
export function nameOf(state: ChannelState): string {
  const names = {
    im: 'directmessage',
    group: 'privategroup',
    mpim: state.name,
    channel: state.name,
  }
  return names[state.kind]
}

/** `action_ts` and the like: the moment, in Slack's form. */
export function momentOf(world: World): string {
  return (world.now() / 1000).toFixed(6)
}
