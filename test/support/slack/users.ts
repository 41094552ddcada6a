/** A team, by its names. */
export interface Team {
  readonly id: string
  readonly name: string
  readonly domain: string
}

/** Somebody, or something that posts like somebody. */
export interface SlackUser {
  /** `U…` */
  readonly id: string
  readonly teamId: string
  /** The handle, without @. */
  readonly name: string
  readonly realName: string
  readonly kind: 'person' | 'bot' | 'workflow'
  /** Guests of one channel, or of several. */
  readonly guest: 'single' | 'multi' | undefined
  readonly isAdmin: boolean
  readonly timeZone: string
  readonly locale: string
  /** Set for a bot's user. */
  readonly botId: string | undefined
  /** Deactivated. */
  deleted: boolean
}

export interface UserOptions {
  readonly id?: string
  readonly teamId?: string
  readonly realName?: string
  readonly kind?: 'person' | 'bot' | 'workflow'
  readonly guest?: 'single' | 'multi'
  readonly isAdmin?: boolean
  readonly deleted?: boolean
  readonly timeZone?: string
  readonly locale?: string
}

/** A user as users.info shows it to an app of `homeTeam`. */
export function toApiUser(user: SlackUser, homeTeam: string): Record<string, unknown> {
  const stranger = user.teamId !== homeTeam
  return {
    id: user.id,
    team_id: user.teamId,
    name: user.name,
    deleted: user.deleted,
    ...(!user.deleted && {
      real_name: user.realName,
      tz: user.timeZone,
      tz_label: user.timeZone,
      tz_offset: 0,
      is_admin: user.isAdmin,
      is_owner: false,
      is_primary_owner: false,
      is_restricted: user.guest !== undefined,
      is_ultra_restricted: user.guest === 'single',
    }),
    profile: profileOf(user),
    is_bot: user.kind !== 'person',
    is_app_user: false,
    ...(user.kind === 'workflow' && { is_workflow_bot: true }),
    // True for people of other teams: https://docs.slack.dev/reference/objects/user-object
    ...(stranger && { is_stranger: true }),
    updated: 1_700_000_000,
  }
}

function profileOf(user: SlackUser): Record<string, unknown> {
  return {
    real_name: user.realName,
    real_name_normalized: user.realName,
    display_name: user.name,
    display_name_normalized: user.name,
    team: user.teamId,
    ...(user.botId !== undefined && { bot_id: user.botId, api_app_id: '' }),
  }
}
