import type { Config } from '../config/config.ts'
import { countPaired } from '../db/callers.ts'
import type { Db } from '../db/schema.ts'

/** Whether anybody may talk yet, and how they get in, for whoever starts it. */
export async function whoMayTalk(db: Db, config: Config): Promise<readonly string[]> {
  const { allowedUsers, approvers, operators } = config.telegram
  const named = new Set([...allowedUsers, ...approvers, ...operators]).size
  const paired = await countPaired(db, 'telegram')
  if (named + paired > 0) {
    return [`Who may talk: ${named} by the configuration, ${paired} by pairing.`]
  }
  return [
    'Nobody may talk yet. Run "npx countersign pair --role operator" in another terminal and send the',
    'bot the code that it prints, or name your account in [telegram] allowed_users.',
  ]
}
