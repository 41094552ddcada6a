import { sql } from 'kysely'
import { approvalWarnings } from '../../app/processes/approval-warnings.ts'
import type { Config } from '../../config/config.ts'
import { waysToChangeAudit } from '../../db/roles/ways-to-change-audit.ts'
import type { Db } from '../../db/schema.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** AUD-02: checks that database rights prevent the product from changing the audit. */
export async function checkAuditRights(db: Db): Promise<Finding> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass('audit_log') is not null as there`.execute(db)
  if (rows[0]?.there !== true) return ok('audit', 'nothing is recorded yet')
  const ways = await waysToChangeAudit(db)
  if (ways.length === 0) return ok('audit', 'the role of the product cannot change it')
  const finding = `the role of the product ${ways.join(', ')}: only a trigger keeps it from being changed, which is weaker`
  return warn(
    'audit',
    finding,
    'for processes apart (with REDIS_URL) let migrate make a role: COUNTERSIGN_APP_DATABASE_URL in docs/how-to/deploy.md',
  )
}

/** Checks that this role may use every table; migrations grant rights to the owner only. */
export async function checkTableRights(db: Db): Promise<Finding> {
  const lacking = (await findTables(db)).flatMap(({ name, may }) => {
    const missing = needed(name).filter((right) => !may.includes(right))
    return missing.length === 0 ? [] : [`${name} (${missing.join(', ')})`]
  })
  if (lacking.length === 0) return ok('tables', 'the role of the product may use them all')
  const shown =
    lacking.length > 5 ? [...lacking.slice(0, 4), `${lacking.length - 4} more`] : lacking
  return fail(
    'tables',
    `the role of the product lacks rights to ${shown.join(', ')}`,
    'run countersign migrate with COUNTERSIGN_APP_DATABASE_URL as the owner, as at every upgrade (docs/how-to/back-up-and-upgrade.md)',
  )
}

const all = ['select', 'insert', 'update'] as const

type Right = (typeof all)[number]

/** Tables that only the owner may write, or that the product may only append to. */
const lesser: ReadonlyMap<string, readonly Right[]> = new Map([
  ['audit_log', ['select', 'insert']],
  ['audit_checkpoint', ['select', 'insert']],
  ['audit_cut', ['select']],
  ['audit_person', ['select', 'insert']],
  ['kysely_migration', ['select']],
  ['kysely_migration_lock', ['select']],
])

function needed(table: string): readonly Right[] {
  return lesser.get(table) ?? all
}

/** Returns all tables except partitions, which are accessed through their table. */
async function findTables(
  db: Db,
): Promise<readonly { readonly name: string; readonly may: readonly string[] }[]> {
  const { rows } = await sql<{ name: string; may: string[] }>`
    select relname as name, array(
      select its from unnest(${[...all]}::text[]) its where has_table_privilege(pg_class.oid, its)
    ) as may
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    order by relname`.execute(db)
  return rows
}

/** APPR-17: warns if the configuration requires an approval that no person can give. */
export async function checkApprovers(db: Db, config: Config): Promise<readonly Finding[]> {
  const mend = 'docs/how-to/approve.md says who may approve; countersign pair lets people in'
  return (await approvalWarnings(db, config)).map((warning) => warn('approvers', warning, mend))
}
