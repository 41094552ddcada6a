import type { CoreContext } from '../core/context.ts'
import { countPaired } from '../db/people/callers.ts'

/** Tells the operator at start whether anyone may use these platforms yet, and how to admit people. */
export async function describeAccess(
  { db, people }: Pick<CoreContext, 'db' | 'people'>,
  platforms: readonly string[],
): Promise<readonly string[]> {
  const named = platforms.flatMap((platform) => {
    const { users = [], approvers = [], operators = [] } = people[platform] ?? {}
    return [...new Set([...users, ...approvers, ...operators])]
  }).length
  const counts = await Promise.all(platforms.map((platform) => countPaired(db, platform)))
  const paired = counts.reduce((sum, count) => sum + count, 0)
  if (named + paired > 0) {
    return [`Who may talk: ${named} by the configuration, ${paired} by pairing.`]
  }
  return [
    'Nobody may talk yet. Run "npx countersign pair --role operator" in another terminal and send the',
    `bot the code that it prints, or name your account in [${platforms.join('] or [')}] allowed_users.`,
  ]
}
