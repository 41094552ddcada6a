import type { webApi } from '@slack/bolt'
import { z } from 'zod'

/** An app as installed in one workspace. */
export interface SlackIdentity {
  readonly teamId: string
  readonly team: string
  /** User id of the bot. */
  readonly userId: string
  readonly botId: string
  /** Name of the bot, without `@`. */
  readonly name: string
  /** Scopes of the token, if Slack reports them. */
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

/** The token is invalid or belongs to a person; retrying does not help. */
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

/** Message for an error code that concerns the token; undefined for others. */
export function refusalOf(code: unknown): string | undefined {
  return typeof code === 'string' ? refusals[code] : undefined
}

/** Asks once for the identity of the token; rejects with the client's errors, or `SlackRefused`. */
export async function connect(client: webApi.WebClient): Promise<SlackIdentity> {
  const parsed = identity.safeParse(await client.auth.test())
  if (parsed.success) return parsed.data
  throw new SlackRefused(
    'what answers as Slack names no bot: check SLACK_BOT_TOKEN (xoxb-…) and SLACK_API_URL',
  )
}
