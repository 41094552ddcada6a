import type { ShellAnalysis } from './analysis.ts'
import { collectCommands } from './collect-commands.ts'
import { hiddenCharacters } from './hidden-characters.ts'
import { askCharacters, maxCharacters, parseScript } from './parse-script.ts'
import { roughCommands } from './rough-commands.ts'
import { structureHazards } from './structure-hazards.ts'

const maxPlainCommands = 50

/** SHELL-01…03: what a command would run, and why its text cannot be trusted to say all of it. Never throws. */
export function analyseCommand(text: string): ShellAnalysis {
  if (text.length > maxCharacters) {
    return { commands: [], redirections: [], hazards: [], tooLong: true }
  }
  const script = parseScript(text)
  const hidden = hiddenCharacters(text)
  const long =
    text.length > askCharacters ? `it has more than ${askCharacters} characters` : undefined
  if (script === undefined) {
    const why = 'it cannot be parsed'
    return {
      commands: roughCommands(text),
      redirections: [],
      hazards: [why, hidden, long].filter((hazard) => hazard !== undefined),
      tooLong: false,
    }
  }
  const collected = collectCommands(script, text)
  const visible = collected.commands.filter((command) => command.standing === 'plain')
  const hazards = [
    collected.hasErrors ? 'the parser is not sure of it' : undefined,
    hidden,
    long,
    visible.length === 0 ? 'no command was found in it' : undefined,
    visible.length > maxPlainCommands
      ? `it holds more than ${maxPlainCommands} commands`
      : undefined,
    ...structureHazards(script, text),
  ].filter((hazard) => hazard !== undefined)
  const rough = collected.hasErrors ? roughCommands(text) : []
  return {
    commands: [...collected.commands, ...rough],
    redirections: collected.redirections,
    hazards,
    tooLong: false,
  }
}
