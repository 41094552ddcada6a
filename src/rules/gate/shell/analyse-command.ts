import type { ParsedScript } from 'unbash'
import type { ShellAnalysis } from './analysis.ts'
import { collectCommands, maxCommands, roughCommands } from './collect-commands.ts'
import { writeOutDirectory } from './current-directory.ts'
import { structureHazards } from './structure-hazards.ts'
import { unrollLoop, writeOutValue } from './unroll-loops.ts'
import { writeOutNumbers } from './variables/number-variables.ts'
import { writeOutOutput, writeOutRead } from './variables/output-variables.ts'
import { writeOutSequence } from './variables/sequences.ts'
import { type Lexed, lex } from './words/lex.ts'
import { askCharacters, maxCharacters, parseScript } from './words/parse-script.ts'
import { hiddenCharacters } from './words/word-hazards.ts'
import { writeOutBraces } from './write-out-braces.ts'

const maxPlainCommands = 50
const tooMany = `it holds more than ${maxPlainCommands} commands`
/** The parser takes too long for more. */
const maxTokens = 16_000

/**
 * SHELL-01…03: finds the commands that a text would run, and the reasons why the text may not show all of it. Never throws. A
 * text too long to run silently (SHELL-09) is only checked for denied commands.
 */
export function analyseCommand(text: string): ShellAnalysis {
  if (text.length > maxCharacters) return refused('is longer than 64 KiB')
  const lexed = lex(text)
  if ((lexed?.tokens.length ?? 0) > maxTokens) return refused(`holds more than ${maxTokens} words`)
  const script = parseScript(text, lexed?.openings)
  const isLong = text.length > askCharacters
  const asWritten = script === undefined ? unparsed(text) : parsed(script, text, lexed, isLong)
  const found = script === undefined ? asWritten : withLoops(asWritten, script, text)
  if (found.refusal !== undefined) return refused(found.refusal)
  if (found.commands.length > maxCommands) return refused(`holds more than ${maxCommands} commands`)
  const long = isLong ? [`it has more than ${askCharacters} characters`] : []
  const hidden = hiddenCharacters(text)
  const hazards = [...found.hazards, ...(hidden === undefined ? [] : [hidden]), ...long]
  const effects = new Map(found.effects)
  if (hidden !== undefined) effects.set(hidden, { kind: 'hidden_characters', of: hidden })
  return { ...found, hazards, effects, refusal: undefined }
}

type Found = Omit<ShellAnalysis, 'refusal'> & { readonly refusal?: string }

/** The result if wrappers are nested too deeply to find a denied command in time. */
const tooDeep: Found = {
  ...{ commands: [], redirections: [], listings: [], hazards: [] },
  refusal: 'runs commands by wrappers in too many wrappers to judge them all',
}

const notTold = 'it is not made of literal words (command expansion)'
const maxLoopText = 2_000
const maxUnrolled = 6_000
const mostLoops = 8
/** A loop, words for `xargs`, or a separate assignment. */
const hasLoopOrAssignment =
  /\b(?:for|while|until|xargs)\s|(?:^|[;&\n])\s*\w+=|\$\{?PWD|\$\(pwd\)|\{[\w.-]+,/

/** Expands known values and loops if that is unambiguous; each round is evaluated as if written out. */
function withLoops(found: Found, script: ParsedScript, text: string): Found {
  const isKnown = found.hazards.length === 0 && !/\bwhile (?:IFS=\S* )?read [A-Za-z_]/.test(text)
  if (isKnown || text.length > maxLoopText || !hasLoopOrAssignment.test(text)) return found
  if (found.hazards.includes(tooMany)) return found
  let tree: ParsedScript | undefined = script
  let code: string | undefined = text
  for (let count = 0; count < mostLoops && tree !== undefined; count += 1) {
    code =
      writeOutRead(tree, code) ??
      writeOutBraces(tree, code) ??
      writeOutValue(tree, code) ??
      unrollLoop(tree, code) ??
      writeOutDirectory(tree, code) ??
      writeOutNumbers(tree, code) ??
      writeOutSequence(tree, code) ??
      writeOutOutput(tree, code)
    if (code === undefined || code.length > maxUnrolled) return found
    const lexed = lex(code)
    tree = parseScript(code, lexed?.openings)
    const plain = tree && parsed(tree, code, lexed, false)
    if (plain?.hazards.length === 0) return plain
  }
  return found
}

function refused(refusal: string): ShellAnalysis {
  return { commands: [], redirections: [], listings: [], hazards: [], refusal }
}

function unparsed(text: string): Found {
  const hazards = ['it cannot be parsed']
  return { commands: roughCommands(text), redirections: [], listings: [], hazards }
}

function parsed(
  script: ParsedScript,
  text: string,
  lexed: Lexed | undefined,
  isLong: boolean,
): Found {
  const collected = collectCommands(script, text, isLong)
  if (collected.isTooDeep) return tooDeep
  const visible = collected.commands.filter(({ standing }) => standing === 'plain')
  const doubts = isLong ? undefined : structureHazards(script, lexed)
  const hazards = [
    collected.hasErrors ? 'the parser is not sure of it' : undefined,
    visible.length === 0 ? 'no command was found in it' : undefined,
    visible.length > maxPlainCommands ? tooMany : undefined,
    ...(doubts?.hazards ?? []),
  ].filter((hazard) => hazard !== undefined)
  const rough = collected.hasErrors ? roughCommands(text) : []
  const { redirections } = collected
  const listings = [...(doubts?.listings ?? [])].map(([command, listing]) => ({
    ...listing,
    ...collected.placeOf(command),
  }))
  const effects = doubts?.effects ?? new Map()
  const lines = collected.commands.flatMap(({ lines = [], trails, part }) =>
    lines.map((text) => ({ text, hazard: notTold, trails, part })),
  )
  const commands = [...collected.commands, ...rough]
  return { commands, redirections, listings: [...listings, ...lines], hazards, effects }
}
