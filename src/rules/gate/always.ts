import type { GateFacts } from './gate-facts.ts'
import type { ShellAnalysis } from './shell/analysis.ts'
import { alwaysPattern } from './shell/grants/grantable.ts'

/**
 * SHELL-08: one pattern for each command of a shell call; none if a rule could not make the call silent (SHELL-03), or if
 * commands run unconfined (APPR-23).
 */
export function alwaysForCommand(
  analysis: ShellAnalysis,
  hasNotice: boolean,
  facts: Pick<GateFacts, 'confined'>,
): readonly string[] {
  if (!facts.confined || hasNotice || analysis.hazards.length > 0) return []
  const commands = analysis.commands.filter((command) => command.standing === 'plain')
  return [...new Set(commands.map(alwaysPattern))]
}
