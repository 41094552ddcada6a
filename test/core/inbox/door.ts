import type { CoreContext, CoreSettings, RoleLists } from '../../../src/core/context.ts'
import type { Taken } from '../../../src/core/inbox/store-event.ts'
import { takeIncoming } from '../../../src/core/inbox/take-incoming.ts'
import { english } from '../../../src/domain/messages/messages.ts'
import type { IncomingAct, IncomingFile, Person } from '../../../src/ports/chat.ts'
import { silentObserver } from '../../../src/ports/observer.ts'
import type { Signals } from '../../../src/ports/signals.ts'
import { newId } from '../../../src/util/ids.ts'
import type { Log } from '../../../src/util/log.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'

export interface Sent {
  readonly place: string
  readonly text: string
}

/** The door for platforms on a real database. */
export interface Door extends AsyncDisposable {
  readonly database: TestDatabase
  /** What the parts behind the door are given, as it is now. */
  ctx(): CoreContext
  /** What the product logged, as JSON. */
  readonly logged: readonly string[]
  /** Conversations of which was told that something waits to go out. */
  readonly due: readonly string[]
  /** As after a start with another configuration. */
  configure(lists: Partial<RoleLists>): void
  say(from: Person, text: string, other?: Partial<Passed>): Promise<Taken>
  tap(from: Person, token: string, other?: Partial<Passed>): Promise<Taken>
  /** What was said to people so far, in order. */
  sent(): Promise<readonly Sent[]>
  count(
    table: 'inbound_event' | 'caller' | 'conversation' | 'pairing_try' | 'audit_log',
  ): Promise<number>
  /** Lets time go by for what counts it: moves the rows back. */
  letPass(interval: string): Promise<void>
  /** Everything that is stored, as text. */
  everything(): Promise<string>
}

interface Passed {
  readonly place: string
  readonly isPrivate: boolean
  readonly externalId: string
  readonly replyTo: string
  readonly unread: 'file'
  readonly files: readonly IncomingFile[]
  readonly album: string
  readonly ifAlbumTaken: true
}

export const inGroup = { place: '-100', isPrivate: false } as const

export function person(id: number, name: string, username?: string): Person {
  return { id: `telegram:${id}`, name, ...(username !== undefined && { username }) }
}

export async function openDoor(
  lists: Partial<RoleLists> = {},
  settings: Partial<CoreSettings> = {},
): Promise<Door> {
  const database = await createTestDatabase()
  const { db, pool } = database
  const logged: string[] = []
  const due: string[] = []
  const write = (fields: object, message: string) => {
    logged.push(JSON.stringify({ ...fields, message }))
  }
  const log: Log = { debug: write, info: write, warn: write, error: write }
  const nothing = async () => undefined
  const signals: Signals = {
    turnDue: nothing,
    outboxDue: async (id) => void due.push(id),
    turnStopped: nothing,
    sendJob: nothing,
    boxesDue: nothing,
    rulesDue: nothing,
    toolsDue: nothing,
    pass: async () => true,
    sendCancel: nothing,
    live: nothing,
  }
  let people = toPeople(lists)
  const toContext = (): CoreContext => {
    const context = { db, signals, observer: silentObserver, log, people }
    return { ...context, messages: english, redact: same, settings: settings as CoreSettings }
  }
  const take = (from: Person, act: IncomingAct, other: Partial<Passed>) => {
    const place = other.place ?? from.id.replace('telegram:', '')
    const { isPrivate = true, externalId = newId() } = other
    return takeIncoming(toContext(), {
      platform: 'telegram',
      externalId,
      place,
      isPrivate,
      from,
      act,
    })
  }
  return {
    database,
    ctx: toContext,
    logged,
    due,
    configure: (changed) => {
      people = toPeople(changed)
    },
    say: (from, text, other = {}) => {
      const reply = other.replyTo === undefined ? {} : { replyTo: other.replyTo }
      const { unread, files, album, ifAlbumTaken } = other
      const file = {
        ...(unread === undefined ? {} : { unread }),
        ...(files === undefined ? {} : { files }),
        ...(album === undefined ? {} : { album }),
        ...(ifAlbumTaken === undefined ? {} : { ifAlbumTaken }),
      }
      return take(from, { kind: 'message', text, ...reply, ...file }, other)
    },
    tap: (from, token, other = {}) =>
      take(from, { kind: 'tap', token, messageId: '7', isThere: true }, other),
    sent: async () => {
      const rows = await db
        .selectFrom('outbox')
        .innerJoin('conversation', 'conversation.id', 'outbox.conversation_id')
        .select(['outbox.body', 'conversation.external_id as place'])
        .orderBy('outbox.id')
        .execute()
      return rows.map(({ body, place }) => ({ place, text: JSON.parse(body).text }))
    },
    count: async (table) => {
      const { rows } = await pool.query(`select count(*) as count from ${table}`)
      return Number(rows[0].count)
    },
    letPass: async (interval) => {
      await pool.query(`update stranger set told_at = told_at - interval '${interval}'`)
      await pool.query(`update pairing_try set at = at - interval '${interval}'`)
      await pool.query(`update pairing_code set expires_at = expires_at - interval '${interval}'`)
    },
    everything: () => dump(database),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

const same = (text: string): string => text

function toPeople({ users = [], approvers = [], operators = [] }: Partial<RoleLists>) {
  return { telegram: { users, approvers, operators } }
}

async function dump({ pool }: TestDatabase): Promise<string> {
  const tables = await pool.query(
    `select table_name from information_schema.tables where table_schema = 'public'`,
  )
  const texts: string[] = []
  for (const { table_name } of tables.rows) {
    const { rows } = await pool.query(`select to_jsonb(t)::text as row from "${table_name}" t`)
    texts.push(...rows.map(({ row }) => `${table_name} ${row}`))
  }
  return texts.join('\n')
}
