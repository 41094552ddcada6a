/** Sign and words of a kind of effect; `of` says how the subject follows the words. */
interface Phrase {
  readonly sign: string
  readonly words: string
  /** `after`: behind a colon; `alone`: the subject is a sentence and replaces the words. */
  readonly of: 'after' | 'alone'
}

const after = 'after'
const alone = 'alone'

/** Phrases of all effects. The words must be true without the subject. */
const phrases = {
  deletes: { sign: '🗑', words: 'deletes files', of: after },
  empties: { sign: '🗑', words: 'empties files', of: after },
  deletes_data: { sign: '🗑', words: 'deletes data in a database', of: after },
  deletes_resources: { sign: '🗑', words: 'deletes cloud resources', of: after },
  deletes_cluster: { sign: '🗑', words: 'deletes from a cluster', of: after },
  deletes_containers: { sign: '🗑', words: 'deletes containers or their data', of: after },
  deletes_remote: { sign: '🗑', words: 'deletes something on a server', of: after },
  removes_packages: { sign: '🗑', words: 'removes packages', of: after },
  discards: { sign: '🗑', words: 'discards changes', of: after },
  overwrites_history: { sign: '⚠️', words: 'overwrites shared history', of: after },
  rewrites_commits: { sign: '⚠️', words: 'rewrites commits', of: after },
  publishes: { sign: '🌐', words: 'publishes or deploys', of: after },
  sends: { sign: '🌐', words: 'sends data to others', of: after },
  changes_data: { sign: '✏️', words: 'may change data in a database', of: after },
  changes_resources: { sign: '⚠️', words: 'changes cloud resources', of: after },
  changes_cluster: { sign: '⚠️', words: 'changes a cluster', of: after },
  changes_remote: { sign: '⚠️', words: 'changes something on a server', of: after },
  changes_system: { sign: '⚠️', words: 'changes settings of the system', of: after },
  changes_access: { sign: '⚠️', words: 'changes who may use files', of: after },
  schedules: { sign: '⚠️', words: 'changes what runs later by itself', of: after },
  changes_disks: { sign: '⚠️', words: 'changes disks or devices', of: after },
  changes_owner: { sign: '⚠️', words: 'changes owners of files', of: after },
  stops_programs: { sign: '⚠️', words: 'stops running programs', of: after },
  changes_users: { sign: '⚠️', words: 'changes users of the system', of: after },
  reaches_network: { sign: '🌐', words: 'reaches the network', of: after },
  reads: { sign: '📄', words: 'reads a file', of: after },
  writes: { sign: '✏️', words: 'writes a file', of: after },
  writes_outside: { sign: '⚠️', words: 'writes outside the workspace', of: after },
  reads_outside: { sign: '⚠️', words: 'reads outside the workspace', of: after },
  names_outside: { sign: '⚠️', words: 'names a path outside the workspace', of: after },
  runs_outside: { sign: '⚠️', words: 'runs outside the workspace', of: after },
  leads_by_link: { sign: '⚠️', words: 'leads by a link to', of: after },
  edited: { sign: '✏️', words: 'was changed by', of: after },
  leaves_by_link: { sign: '⚠️', words: 'may leave the workspace by a link', of: after },
  touches_kept: { sign: '⚠️', words: 'may touch files that are kept from it', of: after },
  writes_instructions: { sign: '⚠️', words: 'may change what other programs run', of: after },
  writes_unnamed: { sign: '⚠️', words: 'writes files that are not named', of: after },
  hidden_code: { sign: '⚠️', words: 'runs code that is not shown', of: after },
  unbound: { sign: '⚠️', words: 'runs code that may still change', of: alone },
  runs_more: { sign: '⚠️', words: 'can run other code', of: after },
  runs_or_writes: { sign: '⚠️', words: 'can run code or write files', of: after },
  runs_given: { sign: '⚠️', words: 'runs the code that it is given', of: after },
  runs_input: { sign: '⚠️', words: 'runs what other commands print', of: after },
  feeds: { sign: '⚠️', words: 'passes on words that are not known yet', of: after },
  unknown_code: { sign: '⚠️', words: 'runs files that are not known yet', of: after },
  changing_code: { sign: '⚠️', words: 'runs files that may change', of: after },
  may_run_denied: { sign: '⚠️', words: 'may run what a rule denies', of: after },
  other_user: { sign: '⚠️', words: 'runs as another user', of: after },
  changes_shell: { sign: '⚠️', words: 'changes how the shell works', of: after },
  sets_variable: { sign: '⚠️', words: 'sets a variable that may change what runs', of: after },
  moves: { sign: '⚠️', words: 'changes to a directory that is not named', of: after },
  redirects: { sign: '⚠️', words: 'reads or writes a file that is not named', of: after },
  too_long: { sign: '⚠️', words: 'is too long to be checked in full', of: after },
  keeps_running: { sign: '⚠️', words: 'keeps running in the background', of: after },
  hidden_characters: { sign: '⚠️', words: 'may not be what it looks like', of: after },
  unanalysable: { sign: '⚠️', words: 'cannot be analysed', of: after },
  no_diff: { sign: '⚠️', words: 'its changes could not be shown', of: after },
  text_call: {
    sign: '⚠️',
    words: 'the model wrote this call as plain text, for the first time',
    of: after,
  },
  quarantined: { sign: '⚠️', words: 'comes from a tool that is not trusted', of: after },
  objection: { sign: '⚠️', words: 'a second model objects', of: after },
  not_reviewed: { sign: '⚠️', words: 'a second model could not review it', of: after },
  more: { sign: '📎', words: 'more in the file', of: alone },
  other: { sign: '⚠️', words: 'has a risk that is not described', of: alone },
} as const satisfies Readonly<Record<string, Phrase>>

/** A kind of consequence or hazard of a call that its approver must know (CARD-01). */
export type EffectKind = keyof typeof phrases

export const effectPhrases: Readonly<Record<EffectKind, Phrase>> = phrases

/** English words of all kinds; other languages have theirs in the catalogue. */
export const effectWords = Object.fromEntries(
  Object.entries(phrases).map(([kind, { words }]) => [kind, words]),
) as Readonly<Record<EffectKind, string>>

export const effectKinds = Object.keys(phrases) as readonly EffectKind[]

/** Effects that cannot be undone (CARD-03). */
export const destructiveEffects: ReadonlySet<EffectKind> = new Set([
  'deletes',
  'empties',
  'deletes_data',
  'deletes_resources',
  'deletes_cluster',
  'deletes_containers',
  'deletes_remote',
  'publishes',
  'sends',
  'removes_packages',
  'discards',
  'overwrites_history',
  'changes_disks',
  'changes_owner',
  'stops_programs',
  'changes_users',
])

/** One consequence or hazard of a call, with the path, host, program or text that it concerns. */
export interface Effect {
  readonly kind: EffectKind
  readonly of?: string
}

/** Effects of one kind on one line of a card. */
export interface EffectLine {
  readonly sign: string
  readonly words: string
  /** Subjects, in order; empty if the words say all. */
  readonly of: readonly string[]
}

/** Groups effects by kind in their order, so that no subject is dropped or repeated. */
export function effectLines(
  effects: readonly Effect[],
  wordsOf: Readonly<Record<EffectKind, string>>,
): EffectLine[] {
  const lines: { sign: string; words: string; of: string[] }[] = []
  const byKind = new Map<EffectKind, { of: string[] }>()
  for (const { kind, of } of effects) {
    const phrase = { ...effectPhrases[kind], words: wordsOf[kind] }
    if (phrase.of === alone) {
      const words = of ?? phrase.words
      if (!lines.some((line) => line.words === words)) lines.push({ ...phrase, words, of: [] })
      continue
    }
    const known = byKind.get(kind)
    const line = known ?? { ...phrase, of: [] }
    if (known === undefined) {
      byKind.set(kind, line)
      lines.push(line as (typeof lines)[number])
    }
    if (of !== undefined && !line.of.includes(of)) line.of.push(of)
  }
  return lines.map(({ sign, words, of }) => ({ sign, words, of }))
}

/** A line of effects as text: `reads outside the workspace: /etc/hosts, /etc/passwd`. */
export function effectText({ words, of }: EffectLine): string {
  return of.length === 0 ? words : `${words}: ${of.join(', ')}`
}
