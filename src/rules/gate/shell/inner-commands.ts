import { runsNothing } from './command-hazards.ts'
import { arityOf } from './grants/arity.ts'
import { wrappedAt } from './plain-wrappers.ts'
import { execForm } from './programs/exec-forms.ts'
import { baseName } from './programs/program-name.ts'
import { opensNothing, wrappers } from './programs/programs.ts'

/** Other commands that a command would run, as far as its literal words show. */
export interface InnerCommands {
  /** Lists of words that may be commands. Errs towards too many, since only their denials count. */
  readonly commands: readonly (readonly string[])[]
  /** The program is known to run them. */
  readonly isCertain: boolean
  /** There were more than the limit. */
  readonly isCut: boolean
  /** Shell code among the words. */
  readonly scripts: readonly string[]
}

const maxGuesses = 12
const maxStarts = 24

type Found = Pick<InnerCommands, 'commands' | 'isCut'>

const none: InnerCommands = { commands: [], scripts: [], isCertain: true, isCut: false }

/** SHELL-04: examines wrappers, `find -exec`, shells with code, and unknown programs. */
export function innerCommands(words: readonly string[]): InnerCommands {
  const program = baseName(words[0] ?? '')
  if (program === 'find') return { ...none, ...findActions(words) }
  if (program === 'fd' || program === 'fdfind') return { ...none, commands: fdActions(words) }
  const at = wrappedAt(words)
  if (at !== undefined) return { ...none, commands: [words.slice(at)] }
  const wrapper = wrappers.get(program)
  if (wrapper !== undefined) {
    if (runsNothing(words)) return none
    const scripts = wrapper.takesCode ? [...words.slice(1).filter(isCode), ...attached(words)] : []
    return { ...none, ...candidates(words, wrapper.operands), scripts }
  }
  const arity = arityOf([program])
  const isKnown = arity !== undefined || opensNothing.has(program)
  if (!isKnown) return { ...none, commands: rests(words), isCertain: false }
  const commands = [
    ...(mayRun(words) ? [...rests(words), ...codeIn(words)] : []),
    ...(execForm(words)?.commands ?? []),
    ...later(words, arity),
  ]
  return { ...none, commands: commands.map((command) => command.slice(0, 100)), isCertain: false }
}

/** The words after each of the first words. */
function rests(words: readonly string[]): readonly (readonly string[])[] {
  return words.slice(1, maxGuesses).map((_, at) => words.slice(at + 1))
}

/** `npx`, `uv run`, `kubectl exec`: known programs that run other commands. */
function mayRun(words: readonly string[]): boolean {
  if (/^(?:npx|pnpx|bunx|rake|rails)$/.test(baseName(words[0] ?? ''))) return true
  return words.slice(1, 5).some((word) => /^(?:run|exec|x|dlx|cmd|ssh|task|explore)\b/.test(word))
}

/** Options with a whole command line, such as `--command='rm x'`. */
function codeIn(words: readonly string[]): readonly (readonly string[])[] {
  const codes = words.slice(1).filter((word) => /\s/.test(word))
  return codes.slice(0, maxGuesses).map((word) => word.replace(/^--?[\w-]+=/, '').split(/\s+/))
}

/** `kubectl -n prod delete` is also tried as `kubectl delete`, since an option may take a word as its value. */
function later(words: readonly string[], arity = 1): readonly (readonly string[])[] {
  const [program = '', first = ''] = words
  if (arity < 2 || !first.startsWith('-')) return []
  return words.slice(2, maxGuesses).map((_, at) => [program, ...words.slice(at + 2)])
}

function findActions(words: readonly string[]): Found {
  const starts = words.flatMap((word, at) =>
    /^-(?:exec|execdir|ok|okdir)$/.test(word) ? [at + 1] : [],
  )
  const commands = starts.slice(0, maxStarts).map((start) => {
    const end = words.findIndex((next, at) => at >= start && (next === ';' || next === '+'))
    return words.slice(start, end === -1 ? undefined : end)
  })
  return { commands, isCut: starts.length > maxStarts }
}

/** All words behind `-x` are the command. */
function fdActions(words: readonly string[]): readonly (readonly string[])[] {
  const at = words.findIndex((word) => /^-[A-Za-z]*[xX]$|^--exec/.test(word))
  return at === -1 || at === words.length - 1 ? [] : [words.slice(at + 1)]
}

/** Possible start positions of an inner command, when each option may have taken one word as its value. */
function candidates(words: readonly string[], operands: number): Found {
  const commands: string[][] = []
  let open = operands + 1
  for (let at = 1; at < words.length && open > 0; at += 1) {
    if (commands.length >= maxStarts) return { commands, isCut: true }
    const word = words[at] ?? ''
    if (word.startsWith('-') && word !== '-') {
      if (word !== '--') open += 1
    } else if (!/^\w+=/.test(word)) {
      if (!/\s/.test(word)) commands.push(words.slice(at))
      open -= 1
    }
  }
  return { commands, isCut: false }
}

/** Code in the word of its option: `env -S'rm x'`, also with words after it, `su -c'rm x'`, `script --command=…`. */
function attached(words: readonly string[]): readonly string[] {
  return words.slice(1, maxGuesses).flatMap((word, at) => {
    const code = /^--[a-z-]+=(.*)$/s.exec(word)?.[1] ?? /^-[A-Za-z]*?[Sc](.+)$/s.exec(word)?.[1]
    // `env -S` reads `\_` as a blank.
    const plain = code?.replaceAll('\\_', ' ').trim()
    if (plain === undefined || plain === '') return []
    return [[plain, ...words.slice(at + 2)].join(' ')]
  })
}

/** Words of a shell or `eval` that may be code; a plain word is already tried as a command. */
function isCode(word: string): boolean {
  return /[\s;&|$`(){}<>]/.test(word)
}
