import type { ParsedScript } from 'unbash'
import type { ShellAnalysis } from './analysis.ts'
import { collectCommands } from './collect-commands.ts'
import { hiddenCharacters } from './hidden-characters.ts'
import { type Lexed, lex } from './lex.ts'
import { askCharacters, maxCharacters, parseScript } from './parse-script.ts'
import { maxCommands, roughCommands } from './rough-commands.ts'
import { structureHazards } from './structure-hazards.ts'

const maxPlainCommands = 50
/** With them it takes the parser too long. */
const maxTokens = 16_000

/**
 * SHELL-01…03: what a command would run, and why its text cannot be trusted to say all of it. Never throws. What is too long
 * to run silently (SHELL-09) is only looked through for what rules deny.
 */
export function analyseCommand(text: string): ShellAnalysis {
  if (text.length > maxCharacters) return refused('is longer than 64 KiB')
  const lexed = lex(text)
  if ((lexed?.tokens.length ?? 0) > maxTokens) return refused(`holds more than ${maxTokens} words`)
  const script = parseScript(text, lexed?.openings)
  const isLong = text.length > askCharacters
  const found = script === undefined ? unparsed(text) : parsed(script, text, lexed, isLong)
  if (found.commands.length > maxCommands) return refused(`holds more than ${maxCommands} commands`)
  const long = isLong ? [`it has more than ${askCharacters} characters`] : []
  const hidden = hiddenCharacters(text)
  const hazards = [...found.hazards, ...(hidden === undefined ? [] : [hidden]), ...long]
  return { ...found, hazards, refusal: undefined }
}

type Found = Pick<ShellAnalysis, 'commands' | 'redirections' | 'hazards'>

function refused(refusal: string): ShellAnalysis {
  return { commands: [], redirections: [], hazards: [], refusal }
}

function unparsed(text: string): Found {
  return { commands: roughCommands(text), redirections: [], hazards: ['it cannot be parsed'] }
}

function parsed(
  script: ParsedScript,
  text: string,
  lexed: Lexed | undefined,
  isLong: boolean,
): Found {
  const collected = collectCommands(script, text, isLong)
  const visible = collected.commands.filter((command) => command.standing === 'plain')
  const hazards = [
    collected.hasErrors ? 'the parser is not sure of it' : undefined,
    visible.length === 0 ? 'no command was found in it' : undefined,
    visible.length > maxPlainCommands
      ? `it holds more than ${maxPlainCommands} commands`
      : undefined,
    ...(isLong ? [] : structureHazards(script, lexed)),
  ].filter((hazard) => hazard !== undefined)
  const rough = collected.hasErrors ? roughCommands(text) : []
  const { redirections } = collected
  return { commands: [...collected.commands, ...rough], redirections, hazards }
}
