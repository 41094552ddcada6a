import { differingRules } from '../core/kernel/differing-rules.ts'
import type { Db } from '../db/schema.ts'
import type { Log } from '../util/log.ts'

/** Looks whether agents go by different rules; each change is logged once. */
export function createRulesWatch(db: Db, log: Log): () => Promise<void> {
  let told: readonly string[] = []
  return async () => {
    const found = await differingRules(db)
    for (const { finding, mend } of found) {
      if (!told.includes(finding)) log.warn({ finding, mend }, 'agents have different rules')
    }
    if (found.length > 0) {
      told = found.map(({ finding }) => finding)
    } else if (told.length > 0 && (await isSame(db))) {
      log.info({}, 'agents have the same rules again')
      told = []
    }
  }
}

/** Rules that have just changed are no finding yet, but need not be the same. */
async function isSame(db: Db): Promise<boolean> {
  const found = await differingRules(db, 0)
  return found.length === 0
}
