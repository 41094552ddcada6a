import type { webApi } from '@slack/bolt'
import { z } from 'zod'

/** The app that a bot token belongs to, as it is installed in one workspace. */
export interface SlackIdentity {
  readonly teamId: string
  readonly team: string
  /** As whom it writes. */
  readonly userId: string
  readonly botId: string
  /** What people mention it by, without `@`. */
  readonly name: string
  /** What the token may do, where Slack says it. */
  readonly scopes?: readonly string[]
}

const identity = z
  .object({
    team_id: z.string().regex(/^[TE][A-Z0-9]+$/),
    team: z.string().default(''),
    user_id: z.string().regex(/^[UW][A-Z0-9]+$/),
    bot_id: z.string().min(1),
    user: z.string().default('countersign'),
    response_metadata: z.object({ scopes: z.array(z.string()).optional() }).optional(),
  })
  .transform(
    (me): SlackIdentity => ({
      teamId: me.team_id,
      team: me.team,
      userId: me.user_id,
      botId: me.bot_id,
      name: me.user,
      ...(me.response_metadata?.scopes !== undefined && { scopes: me.response_metadata.scopes }),
    }),
  )

/** The token belongs to no app that is installed, or to a person; trying again does not help. */
export class SlackRefused extends Error {
  override readonly name = 'SlackRefused'
}

const refusals: Readonly<Record<string, string>> = {
  invalid_auth: 'Slack refused the token: check SLACK_BOT_TOKEN',
  not_authed: 'Slack refused the token: check SLACK_BOT_TOKEN',
  token_revoked: 'the token was revoked: install the app again, and set its new SLACK_BOT_TOKEN',
  token_expired: 'the token has expired: install the app again, and set its new SLACK_BOT_TOKEN',
  account_inactive: 'the app or its workspace is gone: install it again',
}

/** The words for a token that Slack does not take; undefined: the error says nothing of the token. */
export function refusalOf(code: unknown): string | undefined {
  return typeof code === 'string' ? refusals[code] : undefined
}

/** Asks once which app the token belongs to; rejects with the client's errors, or `SlackRefused`. */
export async function connect(client: webApi.WebClient): Promise<SlackIdentity> {
  const parsed = identity.safeParse(await client.auth.test())
  if (parsed.success) return parsed.data
  throw new SlackRefused(
    'what answers as Slack names no bot: check SLACK_BOT_TOKEN (xoxb-…) and SLACK_API_URL',
  )
}
