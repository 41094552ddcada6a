import { createApi } from '../../adapters/chat/slack/api.ts'
import { connect, refusalOf, SlackRefused } from '../../adapters/chat/slack/connect.ts'
import { slackCode, toDelivery } from '../../adapters/chat/slack/outgoing/to-delivery.ts'
import type { Config } from '../../config/config.ts'
import { slackProblems } from '../../gateway/slack-problems.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const patienceMs = 8_000
const what = 'slack'

/** Asks Slack which app the bot token belongs to; no finding without a token. */
export async function checkSlack(config: Config): Promise<readonly Finding[]> {
  const token = config.secrets.slackBotToken
  if (token === undefined) return []
  const problems = slackProblems(config)
  if (problems.length > 0)
    return problems.map((problem) =>
      fail(what, problem, 'docs/how-to/slack.md says where it is found'),
    )
  const apiUrl = config.endpoints.slackApiUrl
  try {
    const client = createApi({ token: token.reveal(), apiUrl, timeoutMs: patienceMs })
    const { name, team, scopes } = await connect(client)
    const known = ok(what, `the token is that of @${name} in ${team}, by ${config.slack.mode}`)
    return scopes?.includes('files:read') === false ? [known, noFiles] : [known]
  } catch (error) {
    return [whyNot(error)]
  }
}

const noFiles = warn(
  what,
  'the app may not read files that people send (CHAT-07): it lacks the scope files:read',
  'add it under “OAuth & Permissions”, as docs/reference/slack-manifest.json has it, and install the app again',
)

function whyNot(error: unknown): Finding {
  const refused = error instanceof SlackRefused ? error.message : refusalOf(slackCode(error))
  if (refused !== undefined)
    return fail(what, refused, 'take the token from “OAuth & Permissions” of the Slack app')
  const mend = 'check the network, and SLACK_API_URL where one is set'
  const failed = toDelivery(error)
  return fail(what, failed.kind === 'moved' ? 'no answer' : failed.why, mend)
}
