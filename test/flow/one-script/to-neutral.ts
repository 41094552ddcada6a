import type { Mark } from './play.ts'
import type { Player } from './player.ts'
import type { Rows } from './rows-of.ts'

export interface Differing {
  readonly player: Player
  readonly mark: Mark
}

/** What no two playings have in common, whichever the platform. Whether there is a value is compared all the same. */
const volatile =
  /^(?:id|hash|previous_hash|seq|outbox_id|card_outbox_id|arrival|epoch|lease_owner|replica|box_replica|duration_ms|durationMs|cache_key|signature)$/
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g
/** What `/help` says at the terminal alone, the same in JSON. */
const ofTerminal = /(?:\n|\\n)\/upload path .*?(?:\n|\\n)!command [^\n"]*/
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

/** Rows with neutral names for who, where, ids and times: the same id has the same name in all tables. */
export function toNeutral(
  tables: Readonly<Record<string, readonly object[]>>,
  { player }: Differing,
): Rows {
  const names = new Map<string, string>()
  const nameOf = (id: string): string => {
    const name = names.get(id) ?? `<id ${names.size + 1}>`
    names.set(id, name)
    return name
  }
  const plain = (text: string): string =>
    text
      .replace(ofTerminal, '')
      .replaceAll(player.flow.dataDir, '<data>')
      .replaceAll(player.callerId, '<person>')
      .replaceAll(uuid, nameOf)
      .replaceAll(time, '<time>')
  return Object.fromEntries(
    Object.entries(tables).map(([table, rows]) => [table, rows.map((row) => neutral(row, plain))]),
  )
}

function neutral(value: unknown, plain: (text: string) => string, key = ''): unknown {
  if (value === null || value === undefined) return null
  if (value instanceof Date) return '<time>'
  if (typeof value === 'string') return neutralText(value, plain, key)
  if (volatile.test(key)) return `<${key}>`
  if (Array.isArray(value)) return value.map((each) => neutral(each, plain))
  if (typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, neutral(each, plain, name)]),
  )
}

/** Much of a row is JSON in itself. */
function neutralText(text: string, plain: (text: string) => string, key: string): unknown {
  if (/^[[{]/.test(text) && key !== 'arguments') {
    try {
      return neutral(JSON.parse(text), plain)
    } catch {
      // It only looks like it.
    }
  }
  const named = plain(text)
  return volatile.test(key) && named === text ? `<${key}>` : named
}
