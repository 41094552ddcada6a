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
  /** Shell code among the words. */
  readonly scripts: readonly string[]
}

const maxGuesses = 12

const none: InnerCommands = { commands: [], scripts: [], isCertain: true }

/** SHELL-04: looks through wrappers, `find -exec`, shells given code, and programs that nobody knows. */
export function innerCommands(words: readonly string[]): InnerCommands {
  const program = baseName(words[0] ?? '')
  if (program === 'find') return { ...none, commands: findActions(words) }
  const wrapper = wrappers.get(program)
  if (wrapper !== undefined) {
    if (runsNothing(words)) return none
    const scripts = wrapper.takesCode ? words.slice(1).filter(isCode) : []
    return { commands: candidates(words, wrapper.operands), scripts, isCertain: true }
  }
  const isKnown = arityOf([program]) !== undefined || opensNothing.has(program)
  if (isKnown) return none
  const rests = words.slice(1, maxGuesses).map((_, at) => words.slice(at + 1))
  return { commands: rests, scripts: [], isCertain: false }
}

function findActions(words: readonly string[]): string[][] {
  return words.flatMap((word, at) => {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(word)) return []
    const rest = words.slice(at + 1)
    const end = rest.findIndex((next) => next === ';' || next === '+')
    return [rest.slice(0, end === -1 ? undefined : end)]
  })
}

/** Where a wrapped command may begin, when each option may have taken one word as its value. */
function candidates(words: readonly string[], operands: number): string[][] {
  const found: string[][] = []
  let open = operands + 1
  for (let at = 1; at < words.length && open > 0; at += 1) {
    const word = words[at] ?? ''
    if (word.startsWith('-') && word !== '-') {
      if (word !== '--') open += 1
    } else if (!/^\w+=/.test(word)) {
      if (!/\s/.test(word)) found.push(words.slice(at))
      open -= 1
    }
  }
  return found
}

/** Words of a shell or `eval` that may be code; a plain word is tried as a command already. */
function isCode(word: string): boolean {
  return /[\s;&|$`(){}<>]/.test(word)
}
