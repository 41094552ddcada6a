import { isMove } from './cd-target.ts'
import { baseName, isSystemProgram } from './programs/program-name.ts'
import { destructive } from './programs/programs.ts'
import { isHarmlessAssignment } from './variables/assignments.ts'

/** The words that a wrapper accepts before the command it runs. */
export interface WrapperWords {
  /** Options without a value, or with an attached one. */
  readonly alone: RegExp
  /** Options that take the next word, and the form of that word. */
  readonly valued?: readonly (readonly [option: RegExp, value: RegExp])[]
  /** The form of the single operand before the command. */
  readonly operand?: RegExp
  /** Assignments may precede the command. */
  readonly assigns?: boolean
}

const noOption = /^(?!)/
const duration = /^\d{1,9}(?:\.\d{1,9})?[smhd]?$/

/**
 * SHELL-04: wrappers that run their words as one command, as the same user, on the same machine and with the same files. They
 * affect its time limit, priority, buffering or terminal.
 */
const plainWrappers: Readonly<Record<string, WrapperWords>> = {
  timeout: {
    alone:
      /^(?:-v|--verbose|--foreground|--preserve-status|-s[A-Z0-9]+|--signal=[A-Z0-9]+|-k\d+[smhd]?|--kill-after=\d+[smhd]?)$/,
    valued: [
      [/^(?:-s|--signal)$/, /^[A-Z0-9]+$/],
      [/^(?:-k|--kill-after)$/, duration],
    ],
    operand: duration,
  },
  nohup: { alone: noOption },
  nice: {
    alone: /^(?:-n-?\d+|--adjustment=-?\d+|--?\d+)$/,
    valued: [[/^(?:-n|--adjustment)$/, /^-?\d+$/]],
  },
  ionice: {
    alone: /^(?:-t|--ignore|-c[0-3]|-n[0-7])$/,
    valued: [[/^-[cn]$/, /^[0-7]$/]],
  },
  stdbuf: {
    alone: /^(?:-[ioe](?:L|\d+[KMG]?)|--(?:input|output|error)=(?:L|\d+[KMG]?))$/,
    valued: [[/^-[ioe]$/, /^(?:L|\d+[KMG]?)$/]],
  },
  setsid: { alone: /^(?:-w|--wait)$/ },
  command: { alone: noOption },
  env: { alone: noOption, assigns: true },
}

const programName = /^[A-Za-z0-9_./][\w./+-]*$/

/**
 * The index of the command that a plain wrapper runs; undefined for other programs, unknown options, and if there is no command
 * or one that changes this shell's directory.
 */
export function wrappedAt(words: readonly string[]): number | undefined {
  const [program = ''] = words
  const name = baseName(program)
  if (!isSystemProgram(program) || !Object.hasOwn(plainWrappers, name)) return undefined
  const at = commandAt(words, plainWrappers[name])
  const inner = words.slice(at)
  return at === undefined || !programName.test(inner[0] ?? '') || isMove(inner) ? undefined : at
}

/** The index after a wrapper's own words; undefined if one of them has an unknown form. */
export function commandAt(
  words: readonly string[],
  known: WrapperWords | undefined,
): number | undefined {
  if (known === undefined) return undefined
  let at = 1
  for (let word = words[at]; word !== undefined; word = words[at]) {
    const valued = known.valued?.find(([option]) => option.test(word))
    if (valued !== undefined && !valued[1].test(words[at + 1] ?? '')) return undefined
    const isAssigned = known.assigns === true && isHarmlessAssignment(word)
    if (valued === undefined && !known.alone.test(word) && !isAssigned) break
    at += valued === undefined ? 1 : 2
  }
  if (words[at] === '--') at += 1
  if (known.operand === undefined) return at
  return known.operand.test(words[at] ?? '') ? at + 1 : undefined
}

const watchWords: WrapperWords = {
  alone:
    /^(?:-[dtxegcbwp]+|-[dt]*n\d{1,5}(?:\.\d+)?|--(?:differences|no-title|exec|errexit|chgexit|color|beep|no-wrap|precise|interval=\d{1,5}(?:\.\d+)?))$/,
  valued: [[/^(?:-[dt]*n|--interval)$/, /^\d{1,5}(?:\.\d+)?$/]],
}

/** The command that `watch` runs again and again, if a shell that reads its words a second time reads the same. */
export function watchedCommand(words: readonly string[]): readonly string[] | undefined {
  const [program = ''] = words
  if (!isSystemProgram(program) || baseName(program) !== 'watch') return undefined
  const at = commandAt(words, watchWords)
  const inner = at === undefined ? [] : words.slice(at)
  const all = inner.flatMap((word) => word.split(' ')).filter((word) => word !== '')
  if (!all.every((word) => /^[\w./:@%+=,-]+$/.test(word))) return undefined
  const [name = ''] = all
  const isKept = programName.test(name) && !destructive.has(baseName(name)) && !isMove(all)
  return isKept ? all : undefined
}

const mostWrappers = 4

/** The command without the plain wrappers before it, such as `timeout 5 nice …`. */
export function unwrapped(words: readonly string[]): readonly string[] {
  let inner = words
  for (let count = 0; count < mostWrappers; count += 1) {
    const at = wrappedAt(inner)
    if (at === undefined) break
    inner = inner.slice(at)
  }
  return inner
}

/** The command that takes a command's words: behind plain wrappers, and behind `npx` where that names nothing but a program. */
export function behindRunners(words: readonly string[]): readonly string[] {
  const inner = unwrapped(words)
  if (!isPackageRunner(inner)) return inner
  const at = inner.findIndex(
    (word, index) => index > 0 && !/^(?:-y|--yes|--no-install)$/.test(word),
  )
  return at !== -1 && programName.test(inner[at] ?? '') ? inner.slice(at) : inner
}

/** Whether a command runs a program of a package, which may bear any name. */
export function isPackageRunner([program = '']: readonly string[]): boolean {
  return /^(?:npx|pnpx|bunx)$/.test(program)
}
