import { approvalWarnings } from '../../app/processes/approval-warnings.ts'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../db/schema.ts'
import { type Finding, warn } from './finding.ts'

/** APPR-17: warns if nobody can give an approval that the configuration requires. */
export async function checkApprovers(db: Db, config: Config): Promise<readonly Finding[]> {
  const mend = 'docs/permissions.md says who may approve; countersign pair lets people in'
  return (await approvalWarnings(db, config)).map((warning) => warn('approvers', warning, mend))
}
