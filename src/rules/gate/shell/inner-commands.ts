import { arityOf } from './arity.ts'
import { runsNothing } from './command-hazards.ts'
import { baseName } from './program-name.ts'
import { opensNothing, wrappers } from './programs.ts'

/** What a command would run besides itself, as far as its literal words say. */
export interface InnerCommands {
  /** Lists of words: each may be a command. Rather too many than too few: only what they deny counts. */
  readonly commands: readonly (readonly string[])[]
  /** Whether the program is known to run them. */
  readonly isCertain: boolean
  /** Whether there were more than are tried. */
  readonly isCut: boolean
  /** Shell code among the words. */
  readonly scripts: readonly string[]
}

const maxGuesses = 12
const maxStarts = 24

type Found = Pick<InnerCommands, 'commands' | 'isCut'>

const none: InnerCommands = { commands: [], scripts: [], isCertain: true, isCut: false }

/** SHELL-04: looks through wrappers, `find -exec`, shells given code, and programs that nobody knows. */
export function innerCommands(words: readonly string[]): InnerCommands {
  const program = baseName(words[0] ?? '')
  if (program === 'find') return { ...none, ...findActions(words) }
  const wrapper = wrappers.get(program)
  if (wrapper !== undefined) {
    if (runsNothing(words)) return none
    const scripts = wrapper.takesCode ? words.slice(1).filter(isCode) : []
    return { ...none, ...candidates(words, wrapper.operands), scripts }
  }
  const isKnown = arityOf([program]) !== undefined || opensNothing.has(program)
  if (isKnown) return none
  const rests = words.slice(1, maxGuesses).map((_, at) => words.slice(at + 1))
  return { ...none, commands: rests, isCertain: false }
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

/** Where a wrapped command may begin, when each option may have taken one word as its value. */
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

/** Words of a shell or `eval` that may be code; a plain word is tried as a command already. */
function isCode(word: string): boolean {
  return /[\s;&|$`(){}<>]/.test(word)
}
