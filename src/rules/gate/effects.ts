import type { Effect, EffectKind } from '../../domain/effect.ts'
import { isWithin } from '../../shared/paths/path-forms.ts'
import type { ToolSpec } from '../tools/tool-spec.ts'
import type { Finding } from './checks/finding.ts'
import type { GateCall } from './gate-facts.ts'
import { hazardEffect } from './hazard-effect.ts'
import { isReader } from './orders/is-reader.ts'
import type { ShellAnalysis, SubCommand } from './shell/analysis.ts'
import { databaseHosts } from './shell/programs/database-effect.ts'
import { optionEffect, ownWords, plainWords } from './shell/programs/option-effects.ts'
import { baseName } from './shell/programs/program-name.ts'
import { networked, programEffects, wrappers } from './shell/programs/programs.ts'
import type { WorkspacePrograms } from './shell/programs/workspace-programs.ts'
import { wantsNetwork } from './shell/wants-network.ts'
import type { PathValue } from './values.ts'

/** Subjects of one kind; more are counted. */
const maxOfKind = 12
const maxSubject = 200

/** CARD-01: the effects of the findings that ask. A rule's question is no effect; a hazard without a phrase shows its reason. */
export function effectsOfFindings(findings: readonly Finding[]): readonly Effect[] {
  return findings.flatMap(
    ({ action, asks, effect, check, reason, isHazard }): readonly Effect[] => {
      if (action !== 'ask') return []
      if (effect !== undefined) return [effect]
      if (asks !== undefined && isHazard !== true) return []
      return check === 'permissions' && isHazard !== true ? [] : [hazardEffect(reason)]
    },
  )
}

/** CARD-01: the consequences of a shell command that its programs have by their nature, and the code it runs from files. */
export function effectsOfCommand(
  { commands }: ShellAnalysis,
  { programs, unbound }: WorkspacePrograms,
  workspace: string,
): readonly Effect[] {
  const certain = commands.filter(({ standing }) => standing !== 'perhaps')
  return [
    ...certain.flatMap(effectsOfProgram),
    ...certain.flatMap(({ source }) => orderEffect(source)),
    ...programs.map((path): Effect => ({ kind: 'hidden_code', of: relativeTo(workspace, path) })),
    ...unbound.map(hazardEffect),
  ]
}

/** CARD-01: the consequences of a call of another tool: removed and outside paths, and the host that it reaches. */
export function effectsOfTool(
  { spec, args, canonical = [] }: GateCall,
  paths: readonly PathValue[],
  workspace: string,
): readonly Effect[] {
  const isMove = paths.some(({ use }) => use === 'write')
  const ofPaths = paths.flatMap(({ forms, use }): Effect[] => [
    ...(use === 'remove' && !isMove ? [{ kind: 'deletes' as const, of: forms.given }] : []),
    ...(forms.inWorkspace ? [] : [{ kind: outsideKinds[use], of: forms.given }]),
  ])
  const named = (spec.paths ?? []).map(({ argument }) => args[argument])
  const behindLinks = canonical.slice(0, named.length).flatMap((path, at): Effect[] => {
    const given = paths.find(({ forms }) => forms.given === named[at])
    const isLink = given !== undefined && given.forms.absolute !== path
    return isLink ? [{ kind: 'leads_by_link', of: relativeTo(workspace, path) }] : []
  })
  return [
    ...ofPaths,
    ...paths.flatMap(({ forms }) => orderEffect(forms.given)),
    ...behindLinks,
    ...(spec.needsNetwork ? [{ kind: 'reaches_network' as const, ...ofHost(spec, args) }] : []),
  ]
}

const fromRight = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

/**
 * CARD-04: two words from right to left with no letter from left to right between them: a screen shows the second one first, so
 * `cp א ב` reads as if the other file were copied.
 */
function orderEffect(text: string): readonly Effect[] {
  if (!fromRight.test(text)) return []
  let isAfter = false
  let isParted = false
  for (const character of text) {
    if (fromRight.test(character)) {
      if (isAfter && isParted) return [{ kind: 'hidden_characters' }]
      isAfter = true
      isParted = false
    } else if (/[\p{L}\n]/u.test(character)) isAfter = false
    else if (!/\p{M}/u.test(character)) isParted = true
  }
  return []
}

const outsideKinds = {
  read: 'reads_outside',
  write: 'writes_outside',
  remove: 'writes_outside',
} as const satisfies Record<PathValue['use'], EffectKind>

/** The kind of effect that naming an outside path has: programs that are known to only read write nothing. */
export function outsideEffect(commands: readonly SubCommand[], of: string): Effect {
  const naming = commands.filter(({ words }) => words.some((word) => word.includes(of)))
  const onlyReads = naming.length > 0 && naming.every(({ words }) => isReader(words))
  return { kind: onlyReads ? 'reads_outside' : 'names_outside', of }
}

/**
 * Effects by kind, without repetition and with their subjects shortened. Subjects of a kind that exceed its limit are counted; a
 * kind is never left out, or a call could hide one effect behind many of another.
 */
export function distinctEffects(effects: readonly Effect[]): readonly Effect[] {
  const subjects = new Map<EffectKind, Set<string>>()
  for (const { kind, of } of effects) {
    const known = subjects.get(kind) ?? new Set()
    subjects.set(kind, known)
    if (of !== undefined) known.add(shortened(of))
  }
  // What runs its input, or the code that it is given, is not said to run other code as well.
  const others = subjects.get('runs_more')
  for (const kind of ['runs_input', 'runs_given'] as const)
    for (const of of subjects.get(kind) ?? [])
      if (others?.delete(of) && others.size === 0) subjects.delete('runs_more')
  return [...subjects].flatMap(([kind, known]): readonly Effect[] => {
    if (known.size === 0) return [{ kind }]
    const shown = [...known].slice(0, maxOfKind)
    const more = known.size - shown.length
    return [...shown, ...(more === 0 ? [] : [`… +${more}`])].map((of) => ({ kind, of }))
  })
}

/** Cuts the middle out of a long text, as sentences end with what matters. */
function shortened(text: string): string {
  if (text.length <= maxSubject) return text
  const half = maxSubject / 2
  return `${text.slice(0, half).toWellFormed()}…${text.slice(-half).toWellFormed()}`
}

function relativeTo(workspace: string, path: string): string {
  return isWithin(path, workspace) ? path.slice(workspace.length + 1) : path
}

function ofHost(spec: ToolSpec, args: GateCall['args']): Pick<Effect, 'of'> {
  const url = spec.ruledBy?.kind === 'url' ? args[spec.ruledBy.argument] : undefined
  const host = typeof url === 'string' ? hostOf(url) : undefined
  return host === undefined ? {} : { of: host }
}

/** Host and port of a URL; undefined if it is none. */
function hostOf(word: string): string | undefined {
  return URL.canParse(word) ? URL.parse(word)?.host || undefined : undefined
}

function effectsOfProgram({ words, runs = [] }: SubCommand): readonly Effect[] {
  const inner = runs.flatMap(effectsOfWords)
  const own = effectsOfWords(words).filter(
    ({ kind }) => isOfPlace.has(kind) || !inner.some((one) => one.kind === kind),
  )
  return [...own, ...inner]
}

/** Effects that a wrapper has of its own, at another place or as another user than its inner command. */
const isOfPlace: ReadonlySet<EffectKind> = new Set(['reaches_network', 'other_user'])

function effectsOfWords([program = '', ...rest]: readonly string[]): readonly Effect[] {
  const name = baseName(program)
  const own = Object.hasOwn(programEffects, name) ? programEffects[name] : undefined
  const effect = own === undefined ? optionEffect(name, rest) : ownEffect(own, name, rest)
  return [
    ...(effect === undefined ? [] : [effect]),
    ...(asOther.has(name) ? [{ kind: 'other_user' as const, of: userIn(name, rest) }] : []),
    ...networkEffects(name, rest),
  ]
}

/** Deletion needs no subject, as the text names the files; other effects name the program. */
function ownEffect(kind: EffectKind, name: string, rest: readonly string[]): Effect {
  if (/^(?:deletes|empties)$/.test(kind)) return { kind }
  const [first] = rest.filter((word) => /^[a-z][\w-]*$/.test(word))
  return { kind, of: first === undefined ? name : `${name} ${first}` }
}

/** Programs that run a command as another user, the superuser where none is named. */
const asOther: ReadonlySet<string> = new Set(
  'sudo sudoedit doas pkexec gosu su su-exec runuser run0 sudo-rs'.split(' '),
)

/** The user that `-u`, `--user` or, of `su`, an operand names. */
function userIn(name: string, rest: readonly string[]): string {
  const at = rest.findIndex((word) => /^(?:-[A-Za-z]*u|--user)$/.test(word))
  if (at !== -1) return rest[at + 1] ?? 'root'
  const attached = rest.map((word) => /^(?:--user=|-u)(.+)$/.exec(word)?.[1]).find(Boolean)
  if (attached !== undefined || !/^(?:su|gosu|su-exec)$/.test(name)) return attached ?? 'root'
  const isValue = (index: number) =>
    /^(?:-[cgGsTw]|--(?:command|group|shell|session-command))$/.test(rest[index - 1] ?? '')
  return rest.find((word, index) => !word.startsWith('-') && !isValue(index)) ?? 'root'
}

/** Hosts in the words of a program that uses the network; otherwise the program itself. */
function networkEffects(name: string, rest: readonly string[]): readonly Effect[] {
  const database = databaseHosts(name, rest)
  if (database.length > 0) return database.map((of) => ({ kind: 'reaches_network', of }))
  if (
    !networked.has(name) &&
    (wrappers.has(name) || !wantsNetwork(`${name} ${plainWords(rest).join(' ')} `))
  )
    return []
  const hosts = rest.flatMap((word, at) => {
    const before = rest[at - 1] ?? ''
    const isName = /^(?:-o|-O|-i|--output|--output-document)$/.test(before)
    return isName || /\s/.test(word) ? [] : hostsIn(name, word, before)
  })
  if (hosts.length > 0) return hosts.map((of) => ({ kind: 'reaches_network', of }))
  const verb = ownWords(name, rest).find((word) => /^[a-z][\w:-]*$/.test(word))
  const of = networked.has(name) || verb === undefined ? name : `${name} ${verb}`
  return [{ kind: 'reaches_network', of }]
}

const remoteLogin: ReadonlySet<string> = new Set('ssh scp sftp rsync git'.split(' '))

/** Programs whose operands are addresses, also without a scheme, and their options of one letter that take a value. */
const valueOptions: Readonly<Record<string, RegExp>> = {
  curl: /^-[^-]*[AbcCdDeEFhHKmoPQrtTuUwxXyYz]$|^--(?!url$|(?:silent|show-error|location|fail|insecure|compressed|head|include|verbose|get|remote-name|ipv[46])$)/,
  wget: /^-[^-]*[oaeiBtOTwQPUlARDIX]$|^--(?!(?:quiet|continue|timestamping|recursive|no-\S+|spider|server-response)$)/,
}

/** A name with a dot, an IPv4 or IPv6 address, or this machine, with a port and a path. */
const bareAddress =
  /^(?:(?:[\w-]+\.)+[a-z]{2,}|\d{1,3}(?:\.\d{1,3}){3}|localhost|\[[\da-f:.]+\])(?::\d+)?(?:[/?#].*)?$/i

function hostsIn(name: string, word: string, before: string): readonly string[] {
  const value = word.replace(/^--?[\w-]+=/, '')
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) {
    // Of `s3://bucket/key` the bucket is no host.
    const bucket = /^(?:s3|gs|az|wasbs?|abfss?):\/\/[^/]+/i.exec(value)?.[0]
    return listOf(bucket ?? hostOf(value) ?? value)
  }
  if (remoteLogin.has(name))
    return listOf(
      /^(?:[\w.-]+@)([\w.-]+)(?::.*)?$|^([\w.-]{2,}):/.exec(value)?.slice(1).find(Boolean),
    )
  if (!networked.has(name)) return []
  const valued = Object.hasOwn(valueOptions, name) ? valueOptions[name] : undefined
  const isOperand = valued !== undefined && !word.startsWith('-') && !valued.test(before)
  if (!isOperand && !bareAddress.test(value)) return []
  return [value.replace(/^[^/?#]*@/, '').split(/[/?#]/)[0] || value]
}

function listOf(text: string | undefined): readonly string[] {
  return text === undefined ? [] : [text]
}
