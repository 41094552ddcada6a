import type { EffectKind } from '../../../../domain/effect.ts'
import { isDatabase } from './database-hazard.ts'

/** Programs for databases that have no other purpose. */
const ofTools: readonly (readonly [program: RegExp, words: RegExp, kind: EffectKind])[] = [
  [/^bq$/, / (?:rm|remove) /, 'deletes_data'],
  [/^(?:dropdb|dropuser|mongodrop)$/, /^/, 'deletes_data'],
  [/^mysqladmin$/, / (?:drop|flush-\S+|shutdown) /, 'deletes_data'],
  [/^mysqladmin$/, / (?:create|password|kill|reload) /, 'changes_data'],
  [/^(?:pg_restore|mongorestore)$/, / (?:-c|--clean|--drop) /, 'deletes_data'],
  [
    /^(?:pg_restore|mongorestore|mysqlimport|mongoimport|createdb|createuser|initdb|pgbench|vacuumdb|reindexdb|pgloader)$/,
    /^/,
    'changes_data',
  ],
]

const deletes =
  /\b(?:drop|truncate|delete\s+from|delete\s+where|flushall|flushdb|dropDatabase|dropIndex(?:es)?|deleteMany|deleteOne|findOneAndDelete|bulkWrite)\b|\.(?:drop|remove|deleteMany|deleteOne)\s*\(|\bdetach\s+delete\b/i

/** Statements that only read, if nothing in them is a function but these. */
const reads =
  /^\s*(?:select|show|explain|describe|desc|values|with|table|pragma|analyze)\b|^\s*\\(?:d\S*|l|z|sf|dt|conninfo|timing|x)(?:\s|$)|^\s*\.(?:tables|schema|databases|indexes|indices|headers?|mode|help|show|stats|version|width|timeout)\b/i
const changes =
  /\b(?:insert|update|delete|merge|replace|alter|create|grant|revoke|call|do|copy|into|set|lock|vacuum|reindex|refresh|attach|detach|load|install|execute|prepare|notify|for\s+(?:update|share))\b/i
const harmless = new Set(
  'count sum min max avg coalesce length lower upper trim round abs now date datetime strftime version current_database current_user current_schema exists in any all cast extract date_trunc to_char to_timestamp substr substring concat nullif greatest least array_agg string_agg json_agg row_number rank over as distinct interval values pg_size_pretty pg_database_size pg_total_relation_size pg_relation_size group_concat ifnull iif typeof'.split(
    ' ',
  ),
)

const redisReads =
  /^(?:get|mget|hget|hgetall|hmget|hkeys|hvals|hlen|keys|scan|sscan|hscan|zscan|ttl|pttl|type|exists|llen|lrange|scard|smembers|sismember|zcard|zrange\w*|zscore|strlen|info|ping|dbsize|memory|client|time|lastsave|object|slowlog|latency|echo|getrange|xlen|xrange|xinfo|monitor)$/i

/**
 * CARD-01: whether a client of a database deletes or may change data. A statement that is not known to only read may change it, as may
 * one from a file or from the input.
 */
export function databaseEffect(name: string, rest: readonly string[]): EffectKind | undefined {
  const text = ` ${rest.join(' ')} `
  const own = ofTools.find(([program, words]) => program.test(name) && words.test(text))
  if (own !== undefined) return own[2]
  if (
    !isDatabase(name) ||
    rest.some((word) => /^(?:--version|--help|-V|-\?|-l|--list)$/.test(word))
  )
    return undefined
  if (/^(?:redis-cli|iredis|valkey-cli)$/.test(name)) return redisEffect(rest)
  if (deletes.test(text)) return 'deletes_data'
  const statements = statementsIn(rest)
  return statements.length > 0 && statements.every(onlyReads) ? undefined : 'changes_data'
}

/** Words that can hold a statement: those with a blank, and the values of the options for one. */
function statementsIn(rest: readonly string[]): readonly string[] {
  return rest.flatMap((word, at) => {
    const attached = /^--(?:command|execute|query|eval)=(.*)$/s.exec(word)?.[1]
    const isValue = /^(?:-[a-zA-Z]*[ceqQ]|--(?:command|execute|query|eval)|-execute)$/.test(
      rest[at - 1] ?? '',
    )
    const isMeta = /^[\\.][a-z]+\+?$/i.test(word)
    if (attached !== undefined) return [attached]
    return isValue || isMeta || /\s/.test(word) ? [word] : []
  })
}

function onlyReads(statement: string): boolean {
  const bare = statement.replaceAll(/'(?:[^']|'')*'|"[^"]*"/g, "''")
  const calls = [...bare.matchAll(/(?<![\w.])([a-z_][\w.]*)\s*\(/gi)].map(([, name = '']) =>
    name.toLowerCase(),
  )
  return (
    bare
      .split(';')
      .filter((part) => part.trim() !== '')
      .every((part) => reads.test(part)) &&
    !changes.test(bare) &&
    calls.every((call) => harmless.has(call))
  )
}

function redisEffect(rest: readonly string[]): EffectKind | undefined {
  const at = rest.findIndex(
    (word, index) =>
      !word.startsWith('-') && !/^-(?:h|p|n|a|u|-user|-pass|s)$/.test(rest[index - 1] ?? ''),
  )
  const command = at === -1 ? '' : (rest[at] ?? '')
  if (
    /^(?:flushall|flushdb|del|unlink|getdel|[hzs]?del|hdel|srem|zrem\w*|lrem|ltrim|expire\w*|pexpire\w*|shutdown|xdel|xtrim|swapdb)$/i.test(
      command,
    )
  )
    return 'deletes_data'
  return redisReads.test(command) ? undefined : 'changes_data'
}

/** Hosts of the database that options name, other than this machine. */
export function databaseHosts(name: string, rest: readonly string[]): readonly string[] {
  if (!isDatabase(name) && !/^(?:pg|mysql|mongo|redis|create|drop)\w*$/.test(name)) return []
  return rest.flatMap((word, at) => {
    const value = /^(?:-h|--host)$/.test(rest[at - 1] ?? '')
      ? word
      : /^(?:--host=|-h|[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?)([^/?]+)/.exec(word)?.[1]
    return value === undefined || /^(?:localhost|127\.|::1|\/)/.test(value) ? [] : [value]
  })
}
