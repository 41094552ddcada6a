import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allCalls, entriesInParts, newestCalls } from '../../src/cli/audit/find-audited.ts'
import { presentEnd } from '../../src/cli/audit/list-audit.ts'
import { record } from '../../src/core/audit/record.ts'
import type { AuditFilter } from '../../src/db/audit/audit-search.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { startEmbeddedPostgres } from '../../src/db/embedded/start-embedded-postgres.ts'
import { migrateToLatest } from '../../src/db/migrate.ts'
import type { Db, Schema } from '../../src/db/schema.ts'
import { newId } from '../../src/util/ids.ts'
import { silentLog } from '../../src/util/log.ts'
import { documentedQueries } from '../support/documented-queries.ts'
import { type Figure, toFigure } from '../support/figure.ts'
import { fillAudit } from '../support/fill-audit.ts'
import type { Measurement } from '../support/measurement.ts'
import { repeat, timed } from '../support/repeat.ts'

const yearRows = 10_000_000
const times = 5
const aim = { of: 'median', atMost: 100 } as const

/** AUD-03, AUD-04: every documented query and every filter over the audit of a busy year. */
export const audit: Measurement = {
  name: 'audit',
  about: 'an audit of ten million rows over twelve months (a fifth of that with --quick)',
  isLong: true,
  measure: async ({ scale }) => {
    await using database = await openEmptyDatabase()
    const { db, pool } = database
    const empty = await appends(db)
    const fillingMs = await timed(() => fillAudit(pool, yearRows * scale))
    return [
      toFigure('filling it, indexes and vacuum included', 'ms', [fillingMs]),
      toFigure('one row more, when it was empty', 'µs', empty),
      toFigure('one row more, now', 'µs', await appends(db)),
      ...(await queries(database)),
      ...(await listings(db)),
      ...(await exports(db)),
    ]
  },
}

async function openEmptyDatabase(): Promise<Database<Schema>> {
  const resources = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  resources.defer(() => rm(dataDir, { recursive: true, force: true }))
  const postgres = resources.use(await startEmbeddedPostgres({ dataDir, log: silentLog }))
  const database = resources.use(openDatabase<Schema>(postgres.connection))
  await migrateToLatest(database.db)
  const { db, pool } = database
  return { db, pool, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** Microseconds a row, of a transaction of fifty: what the disk needs for a commit is not the audit's. */
async function appends(db: Db): Promise<number[]> {
  const rows = 50
  const session_id = newId()
  const batch = (): Promise<void> =>
    db.transaction().execute(async (trx) => {
      for (let row = 0; row < rows; row += 1) {
        const call = { session_id, turn_id: newId(), call_id: newId(), tool: 'bash' }
        const said = {
          caller_id: 'telegram:42',
          verdict: 'allow',
          arguments: '{"command":"ls -l"}',
        }
        await record(trx, { kind: 'decided', chain: session_id, ...call, ...said })
      }
    })
  const samples = await repeat(20, () => timed(batch))
  return samples.map((ms) => (ms * 1_000) / rows)
}

async function queries({ pool }: Database<Schema>): Promise<Figure[]> {
  const { rows } = await pool.query(`
    select call_id from audit_log where at > now() - interval '90 days' and call_id is not null
    order by at limit 1`)
  const figures: Figure[] = []
  for (const { about, text } of await documentedQueries()) {
    const query = text.replace('0190f3c2-0000-7000-8000-000000000000', rows[0]?.call_id)
    const found = await pool.query(query)
    const samples = await repeat(times, () => timed(() => pool.query(query)))
    figures.push(toFigure(`“${about}” (${found.rows.length} rows)`, 'ms', samples, { aim }))
  }
  return figures
}

const hourMs = 3_600_000

/** What `countersign audit` does for a list. */
async function listings(db: Db): Promise<Figure[]> {
  const [last] = await db
    .selectFrom('audit_log')
    .select(['session_id'])
    .where('session_id', 'is not', null)
    .where('at', '<', new Date(Date.now() - 2_000 * hourMs))
    .orderBy('at', 'desc')
    .limit(1)
    .execute()
  const session = last?.session_id ?? ''
  const ago = (hours: number): Date => new Date(Date.now() - hours * hourMs)
  const filters: Readonly<Record<string, AuditFilter>> = {
    'no filter': {},
    '--caller of many calls': { caller: 'telegram:1' },
    '--caller of few calls': { caller: 'telegram:200' },
    '--caller unknown': { caller: 'slack:nobody' },
    '--tool bash': { tool: 'bash' },
    '--tool unknown': { tool: 'nothing' },
    '--verdict deny': { verdict: 'deny' },
    '--verdict allow': { verdict: 'allow' },
    '--session of months ago': { session },
    '--since 1h': { since: ago(1) },
    '--since 300 days': { since: ago(7_200) },
    '--caller --tool': { caller: 'telegram:1', tool: 'web_scrape' },
    '--caller --tool, none fits': { caller: 'telegram:1', tool: 'nothing' },
    '--caller --verdict': { caller: 'telegram:150', verdict: 'deny' },
    '--tool --verdict': { tool: 'create_directory', verdict: 'ask' },
    '--caller --tool --verdict': { caller: 'telegram:1', tool: 'web_scrape', verdict: 'deny' },
    '--caller --since 1h': { caller: 'telegram:1', since: ago(1) },
    '--verdict --since 1h': { verdict: 'deny', since: ago(1) },
    '--session --caller --tool --verdict --since': {
      session,
      caller: 'telegram:1',
      tool: 'bash',
      verdict: 'ask',
      since: ago(7_200),
    },
  }
  const figures: Figure[] = []
  for (const [name, filter] of Object.entries(filters)) {
    let calls = 0
    const list = async (): Promise<void> => {
      calls = 0
      for await (const entries of entriesInParts(db, await newestCalls(db, filter, 100)))
        calls += entries.length
    }
    await list()
    const samples = await repeat(times, () => timed(list))
    figures.push(toFigure(`audit, ${name} (${calls} calls)`, 'ms', samples, { aim }))
  }
  const polls = await repeat(times, () => timed(() => presentEnd(db)))
  return [...figures, toFigure('audit --follow, a look for what is new', 'ms', polls, { aim })]
}

const exportedCalls = 200_000

/** How fast an export is, and whether it grows with what it has written. */
async function exports(db: Db): Promise<Figure[]> {
  const start = performance.now()
  const memory: number[] = []
  let calls = 0
  let next = 0
  for await (const entries of allCalls(db, {})) {
    calls += entries.length
    if (calls >= next) {
      globalThis.gc?.()
      memory.push(process.memoryUsage().rss / 2 ** 20)
      next += exportedCalls / 10
    }
    if (calls >= exportedCalls) break
  }
  const perSecond = calls / ((performance.now() - start) / 1_000)
  return [
    toFigure('audit --json, calls a second', '/s', [perSecond]),
    toFigure('audit --json, memory when it began', 'MB', memory.slice(1, 2)),
    toFigure(`audit --json, memory after ${exportedCalls} calls`, 'MB', memory.slice(-1)),
  ]
}
