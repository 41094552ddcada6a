import type { Config } from '../config/config.ts'
import { countPaired } from '../db/people/callers.ts'
import type { Db } from '../db/schema.ts'

/** Whether anybody may talk yet, and how they get in, for whoever starts it. */
export async function whoMayTalk(db: Db, config: Config): Promise<readonly string[]> {
  const served = servedChats(config)
  const named = served.flatMap((platform) => {
    const { allowedUsers, approvers, operators } = config[platform]
    return [...new Set([...allowedUsers, ...approvers, ...operators])]
  }).length
  const counts = await Promise.all(served.map((platform) => countPaired(db, platform)))
  const paired = counts.reduce((sum, count) => sum + count, 0)
  if (named + paired > 0) {
    return [`Who may talk: ${named} by the configuration, ${paired} by pairing.`]
  }
  return [
    'Nobody may talk yet. Run "npx countersign pair --role operator" in another terminal and send the',
    `bot the code that it prints, or name your account in [${served.join('] or [')}] allowed_users.`,
  ]
}

function servedChats({ secrets }: Config): readonly ('telegram' | 'slack')[] {
  const { telegramBotToken, slackBotToken } = secrets
  return [
    ...(telegramBotToken === undefined ? [] : (['telegram'] as const)),
    ...(slackBotToken === undefined ? [] : (['slack'] as const)),
  ]
}
