import { appendAudit, lockHead } from '../../db/audit/audit-log.ts'
import { insertAuditPeople } from '../../db/audit/audit-people.ts'
import { findCallersAmong } from '../../db/people/callers.ts'
import type { Db } from '../../db/schema.ts'
import type { AuditLogTable } from '../../db/tables/audit.ts'
import type { AuditEvent } from '../../domain/audit-event.ts'
import { platformNames } from '../../domain/chat-platforms.ts'
import { findTool } from '../../rules/tools/registry.ts'
import { runsCommands } from '../../rules/tools/tool-spec.ts'
import { canonicalJson } from '../../util/canonical-json.ts'
import { createDigestKey, keyedDigest, sha256 } from '../../util/digest.ts'
import { toStorable } from '../../util/text/storable.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'

/** With what caller ids begin: platforms, API clients and other programs. */
const origins = [...platformNames, 'api', 'acp', 'test'].join('|')

const callerId = new RegExp(`^(?:${origins}):.`, 'su')

const callerIds = new RegExp(
  `\\b(?:${origins}):[\\p{L}\\p{N}_@+-](?:[\\p{L}\\p{N}_.@:+-]*[\\p{L}\\p{N}_@+-])?`,
  'gu',
)

/** Programs that use the network, at the start of a command. */
const reaches =
  /(?:^|[\s;&|("'`/])(?:curl|wget|ssh|scp|sftp|rsync|nc|ncat|netcat|socat|telnet|ftp|aria2c|ping|dig|nslookup|git (?:clone|fetch|pull|push|ls-remote)|(?:npm|pnpm|yarn|npx|pip3?|uv|gem|cargo|go|apt|apt-get|dnf|yum|apk|brew|docker|podman) (?:install|i|ci|add|get|update|upgrade|pull|push|fetch|download|publish))(?=$|[\s;&|)"'`])/m

/** Hosts of URLs and of `user@host` as taken by ssh, scp and git. */
const places =
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/(?:[^\s/"'`@<>\\]{0,200}@)?(\[[0-9a-f:.]{2,45}\]|[^\s/:"'`?#<>\\[\]$(){},;&|]{1,253})|[\w.-]{1,64}@([\w-]{1,63}(?:\.[\w-]{1,63})+)(?=[:\s"'`]|$)/gi

const mostHosts = 20

/** Maximum of all hosts together, as they are indexed. */
const mostBytes = 1_000

const mostCharacters = 65_536

/** Appends a row to its chain (AUD-02), in the caller's transaction: an action that cannot be recorded does not happen. */
export async function record(db: Db, event: AuditEvent): Promise<void> {
  const names = namesIn(event)
  const head = await lockHead(db, event.chain, [...peopleOf(event), ...names])
  const { at } = head
  const unknown = names.filter((name) => !Object.hasOwn(head.aliases, name))
  const people = [...peopleOf(event), ...(await findCallersAmong(db, unknown))]
  const concealed = concealPeople(event, await aliasesFor(db, people, head.aliases))
  const fields = { ...concealed, ...reached(event), at: at.toISOString() }
  const body = canonicalJson(storable(fields))
  const seq = head.seq + 1
  await appendAudit(db, {
    chain: event.chain,
    seq,
    previous_hash: head.hash,
    hash: linkHash(head.hash, event.chain, seq, body),
    at,
    kind: event.kind,
    ...auditColumns(fields),
    body,
  })
}

/** Returns each person's pseudonym, creating missing ones. */
async function aliasesFor(
  db: Db,
  people: readonly string[],
  known: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, string>> {
  const aliases = new Map(Object.entries(known))
  const strangers = [...new Set(people)].filter((id) => !aliases.has(id))
  if (strangers.length === 0) return aliases
  const made = strangers.map((callerId) => {
    const key = createDigestKey()
    return { caller_id: callerId, alias: aliasOf(callerId, key), key }
  })
  return new Map([...aliases, ...(await insertAuditPeople(db, made))])
}

/** A cached answer reaches no host (OUT-11). */
function reached({ kind, tool, arguments: args, cached }: AuditEvent): { hosts?: string[] } {
  if (kind !== 'decided' || cached === true || tool === undefined || args === undefined) return {}
  const hosts = networkHosts(tool, args)
  return hosts === undefined ? {} : { hosts }
}

/** PostgreSQL's JSON rejects escapes of NUL and lone surrogates: one such row would break every query over it. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return toStorable(value)
  if (Array.isArray(value)) return value.map(storable)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [toStorable(name), storable(inner)]),
  )
}

/** Returns the caller ids of requester and decider. */
function peopleOf({ caller_id, decided_by }: AuditEvent): readonly string[] {
  return [caller_id, decided_by].filter((id) => id !== undefined && callerId.test(id)) as string[]
}

/** Returns the parts of the note that look like caller ids; a command such as `npm run test:unit` matches too. */
function namesIn({ note }: AuditEvent): readonly string[] {
  return note?.match(callerIds) ?? []
}

/** Replaces the caller ids of an event with pseudonyms. */
function concealPeople(event: AuditEvent, aliases: ReadonlyMap<string, string>): AuditEvent {
  const { caller_id, decided_by, note } = event
  const toAlias = (id: string): string => aliases.get(id) ?? id
  return {
    ...event,
    ...(caller_id !== undefined && { caller_id: toAlias(caller_id) }),
    ...(decided_by !== undefined && { decided_by: toAlias(decided_by) }),
    ...(note !== undefined && { note: note.replace(callerIds, toAlias) }),
  }
}

/**
 * Extracts the hosts that a call may reach from its arguments; undefined if it reaches none. Used only for the audit; the gate
 * and the sandbox decide what may be reached.
 */
export function networkHosts(tool: string, args: string): string[] | undefined {
  const text = readable(args).slice(0, mostCharacters)
  const hosts = hostsIn(text)
  const spec = findTool(tool)
  if (spec?.needsNetwork === true) return hosts
  if (spec === undefined || !runsCommands(spec)) return undefined
  return hosts.length > 0 || reaches.test(text) ? hosts : undefined
}

function hostsIn(text: string): string[] {
  const found = [...text.matchAll(places)].map(([, url, user]) => url ?? user ?? '')
  const hosts = [...new Set(found.map((host) => host.toLowerCase()))].slice(0, mostHosts)
  return hosts.filter((_, index) => Buffer.byteLength(hosts.slice(0, index + 1).join()) < mostBytes)
}

/** Decodes JSON arguments, so that escapes are not taken as text. */
function readable(args: string): string {
  const value = tryParseJson(args)
  return value === undefined ? args : textsOf(value).join('\n')
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsOf)
}

/**
 * Derives a caller's pseudonym in audit rows: `person:` and 40 hexadecimal digits of HMAC-SHA256 over the caller id, keyed with
 * 32 random bytes. Finding a key that gives it to another id is infeasible; without the key it reveals nothing.
 */
export function aliasOf(callerId: string, key: Uint8Array): string {
  return `person:${keyedDigest(key, callerId).slice(0, 40)}`
}

/** Columns that repeat fields of a row's body for searching. */
type AuditColumns = Pick<
  AuditLogTable,
  | 'session_id'
  | 'turn_id'
  | 'call_id'
  | 'tool'
  | 'caller_id'
  | 'verdict'
  | 'result'
  | 'approval_id'
  | 'approval_state'
  | 'decided_by'
  | 'asked_at'
  | 'answered_at'
  | 'error_category'
  | 'duration_ms'
  | 'said_by'
  | 'rule'
  | 'hosts'
>

/** Derives the columns from the body, for writing and for verifying; a value that does not fit its column becomes null. */
export function auditColumns(fields: Readonly<Record<string, unknown>>): AuditColumns {
  const decider = deciderOf(fields['trace'], fields['verdict'])
  return {
    session_id: text(fields['session_id']),
    turn_id: text(fields['turn_id']),
    call_id: text(fields['call_id']),
    tool: text(fields['tool']),
    caller_id: text(fields['caller_id']),
    verdict: text(fields['verdict']),
    result: text(fields['result']),
    approval_id: uuid(fields['approval_id']),
    approval_state: text(fields['approval_state']),
    decided_by: text(fields['decided_by']),
    asked_at: time(fields['asked_at']),
    answered_at: time(fields['answered_at']),
    error_category: text(fields['error_category']),
    duration_ms: milliseconds(fields['duration_ms']),
    said_by: text(decider['check']),
    rule: cut(text(decider['rule'])),
    hosts: texts(fields['hosts']),
  }
}

/**
 * Returns the first check behind the verdict that names a rule, otherwise the first check. A policy or review that lets a call
 * continue does not decide it (POL-01, POL-05).
 */
function deciderOf(trace: unknown, verdict: unknown): Readonly<Record<string, unknown>> {
  const spoken = Array.isArray(trace) ? trace.map((entry) => ({ ...entry })) : []
  const agreed = spoken.filter(
    ({ action, check }) => action === verdict && !(action === 'allow' && decidesNothing.has(check)),
  )
  return agreed.find(({ rule }) => typeof rule === 'string') ?? agreed[0] ?? {}
}

/** Checks whose "allow" only lets a call continue. */
const decidesNothing: ReadonlySet<unknown> = new Set(['policy', 'adversarial'])

const longestRule = 200

/** Cuts a value to fit an index. */
function cut(value: string | null): string | null {
  return value === null ? null : [...value].slice(0, longestRule).join('')
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? toStorable(value) : null
}

function uuid(value: unknown): string | null {
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
  return typeof value === 'string' && isUuid.test(value) ? value : null
}

function time(value: unknown): Date | null {
  const isTime = typeof value === 'string' && /^\d{4}-.*Z$/.test(value)
  return isTime && !Number.isNaN(Date.parse(value)) ? new Date(value) : null
}

const mostMs = 2 ** 31 - 1

function milliseconds(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null
  return Math.max(Math.min(Math.round(value), mostMs), 0)
}

function texts(value: unknown): string[] | null {
  if (!Array.isArray(value)) return null
  return value.filter((entry) => typeof entry === 'string').map(toStorable)
}

/** Computes the hash that ties an audit row to the previous one of its chain. */
export function linkHash(previous: string, chain: string, seq: number, body: string): string {
  return sha256(`${previous}\n${chain}\n${seq}\n${body}`)
}

/** Signs text with the agent's key. */
export interface TextSigner {
  readonly kid: string
  signText(text: string): string
}

/** Checks a signature by its key id: true, false, or undefined where the key is not known here. */
export type CheckSignature = (kid: string, body: string, signature: string) => boolean | undefined

/** Position at which a chain breaks. */
export interface BrokenLink {
  readonly chain: string
  readonly seq: number
  readonly why: string
}

/** Position in a chain and the hash of its row. */
export interface ChainPosition {
  readonly seq: number
  readonly hash: string
}
