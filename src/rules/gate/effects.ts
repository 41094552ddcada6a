import type { Effect, EffectKind } from '../../domain/effect.ts'
import { isWithin } from '../../shared/paths/path-forms.ts'
import type { ToolSpec } from '../tools/tool-spec.ts'
import type { Finding } from './checks/finding.ts'
import type { GateCall } from './gate-facts.ts'
import { isReader } from './orders/is-reader.ts'
import type { ShellAnalysis, SubCommand } from './shell/analysis.ts'
import { baseName } from './shell/programs/program-name.ts'
import { networked } from './shell/programs/programs.ts'
import { wantsNetwork } from './shell/wants-network.ts'
import type { PathValue } from './values.ts'

/** More are counted, so that a card has room. */
const maxEffects = 40
const maxSubject = 200

/** CARD-01: the effects of the findings that ask. A rule's question is no effect; a hazard without a phrase shows its reason. */
export function effectsOfFindings(findings: readonly Finding[]): readonly Effect[] {
  return findings.flatMap(({ action, effect, check, reason, isHazard }): readonly Effect[] => {
    if (action !== 'ask') return []
    if (effect !== undefined) return [effect]
    return check === 'permissions' && isHazard !== true ? [] : [{ kind: 'other', of: reason }]
  })
}

/** CARD-01: the consequences of a shell command that its programs have by their nature, and the code it runs from files. */
export function effectsOfCommand(
  { commands }: ShellAnalysis,
  {
    programs,
    unbound,
  }: { readonly programs: readonly string[]; readonly unbound: readonly string[] },
  workspace: string,
): readonly Effect[] {
  const certain = commands.filter(({ standing }) => standing !== 'perhaps')
  return [
    ...certain.flatMap(effectsOfProgram),
    ...programs.map((path): Effect => ({ kind: 'hidden_code', of: relativeTo(workspace, path) })),
    ...unbound.map((of): Effect => ({ kind: 'unbound', of })),
  ]
}

/** CARD-01: the consequences of a call of another tool: removed and outside paths, and the host that it reaches. */
export function effectsOfTool(
  { spec, args }: GateCall,
  paths: readonly PathValue[],
): readonly Effect[] {
  const isMove = paths.some(({ use }) => use === 'write')
  const ofPaths = paths.flatMap(({ forms, use }): Effect[] => [
    ...(use === 'remove' && !isMove ? [{ kind: 'deletes' as const, of: forms.given }] : []),
    ...(forms.inWorkspace ? [] : [{ kind: outsideKinds[use], of: forms.given }]),
  ])
  return spec.needsNetwork
    ? [...ofPaths, { kind: 'reaches_network', ...ofHost(spec, args) }]
    : ofPaths
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

/** Effects without repetition, with their subjects shortened; those that exceed the limit are counted. */
export function distinctEffects(effects: readonly Effect[]): readonly Effect[] {
  const found = new Map<string, Effect>()
  for (const { kind, of } of effects) {
    const effect = of === undefined ? { kind } : { kind, of: shortened(of) }
    found.set(JSON.stringify(effect), effect)
  }
  const all = [...found.values()]
  if (all.length <= maxEffects) return all
  const rest = all.length - maxEffects
  return [...all.slice(0, maxEffects), { kind: 'other', of: `and has ${rest} more such effects` }]
}

function shortened(text: string): string {
  return text.length <= maxSubject ? text : `${text.slice(0, maxSubject).toWellFormed()}…`
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

function effectsOfProgram(command: SubCommand): readonly Effect[] {
  const [program = '', ...rest] = command.words
  const name = baseName(program)
  const own = Object.hasOwn(programEffects, name) ? programEffects[name] : undefined
  const kind = own ?? optionEffect(name, rest)
  return [
    ...(kind === undefined ? [] : [effectOf(kind, name, rest)]),
    ...networkEffects(name, rest),
  ]
}

/** Deletion needs no subject, as the text names the files; other effects name the program. */
function effectOf(kind: EffectKind, name: string, rest: readonly string[]): Effect {
  if (kind === 'deletes' && Object.hasOwn(programEffects, name)) return { kind }
  const [first] = rest.filter((word) => /^[a-z][\w-]*$/.test(word))
  return { kind, of: first === undefined || name === 'find' ? name : `${name} ${first}` }
}

function table(
  entries: Readonly<Partial<Record<EffectKind, string>>>,
): Readonly<Record<string, EffectKind>> {
  return Object.fromEntries(
    Object.entries(entries).flatMap(([kind, names]) =>
      names.split(' ').map((name) => [name, kind as EffectKind] as const),
    ),
  )
}

/** Effects of programs that have no other purpose. */
export const programEffects: Readonly<Record<string, EffectKind>> = table({
  deletes: 'rm rmdir unlink shred srm wipe truncate',
  changes_disks:
    'dd mkfs mke2fs blkdiscard sgdisk gdisk cfdisk cryptsetup wipefs fdisk parted sfdisk mkswap mount umount',
  stops_programs: 'shutdown reboot halt poweroff init telinit kill killall pkill skill',
  changes_owner: 'chown chgrp chattr',
  changes_users: 'userdel groupdel',
})

/** Effects of options and subcommands of other programs. */
function optionEffect(name: string, rest: readonly string[]): EffectKind | undefined {
  if (/^mkfs\./.test(name)) return 'changes_disks'
  const text = ` ${rest.join(' ')} `
  return optionEffects.find(({ program, words }) => program.test(name) && words.test(text))?.kind
}

/** `words` is tried on the words after the program, with a blank around each. */
const optionEffects: readonly {
  readonly program: RegExp
  readonly words: RegExp
  readonly kind: EffectKind
}[] = [
  { program: /^find$/, words: / -delete /, kind: 'deletes' },
  { program: /^rsync$/, words: / --(?:del|delete\S*|remove-source-files) /, kind: 'deletes' },
  { program: /^git$/, words: / (?:clean|rm|worktree remove) /, kind: 'deletes' },
  {
    program: /^git$/,
    words:
      / reset .*--(?:hard|merge) | restore | checkout .*(?:-f|--force|--|\.) | stash (?:drop|clear) | branch .*-D | reflog expire /,
    kind: 'discards',
  },
  {
    program: /^git$/,
    words: / push (?:.* )?(?:-f|--force\S*|--mirror|--delete|-d|[+:]\S+) /,
    kind: 'overwrites_history',
  },
  {
    program:
      /^(?:docker|podman|nerdctl|kubectl|helm|terraform|tofu|pulumi|aws|gcloud|az|gsutil|gh|glab|fly|heroku|vercel|npm|pnpm|yarn|pip3?|cargo|apt|apt-get|brew)$/,
    words: / (?:rm|rmi|rb|delete|destroy|prune|remove|uninstall|unpublish|purge|down -v) /,
    kind: 'deletes',
  },
]

/** Hosts in the words of a program that uses the network; otherwise the program itself. */
function networkEffects(name: string, rest: readonly string[]): readonly Effect[] {
  if (!networked.has(name) && !wantsNetwork(`${name} ${rest.join(' ')} `)) return []
  const hosts = rest.flatMap((word) => hostsIn(name, word))
  if (hosts.length > 0) return hosts.map((of) => ({ kind: 'reaches_network', of }))
  const verb = rest.find((word) => /^[a-z][\w-]*$/.test(word))
  const of = networked.has(name) || verb === undefined ? name : `${name} ${verb}`
  return [{ kind: 'reaches_network', of }]
}

const remoteLogin: ReadonlySet<string> = new Set('ssh scp sftp rsync'.split(' '))

function hostsIn(name: string, word: string): readonly string[] {
  const value = word.replace(/^--?[\w-]+=/, '')
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return listOf(hostOf(value))
  const login = /^(?:[\w.-]+@)([\w.-]+)(?::.*)?$/.exec(value)?.[1]
  if (login !== undefined) return [login]
  if (remoteLogin.has(name)) return listOf(/^([\w.-]{2,}):/.exec(value)?.[1])
  // A host without a scheme, as `curl` and `nc` take it.
  const isBare = networked.has(name) && /^(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?(?:\/.*)?$/i.test(value)
  return isBare ? [value.split('/')[0] ?? value] : []
}

function listOf(text: string | undefined): readonly string[] {
  return text === undefined ? [] : [text]
}
