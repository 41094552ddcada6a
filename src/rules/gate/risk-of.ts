import type { Risk } from '../../domain/risk.ts'
import type { GateCall } from './gate-facts.ts'
import type { ShellAnalysis } from './shell/analysis.ts'
import { baseName } from './shell/programs/program-name.ts'
import { destructive } from './shell/programs/programs.ts'
import type { PathValue } from './values.ts'

/** Programs whose purpose is the network. */
const networked: ReadonlySet<string> = new Set(
  'curl wget ssh scp sftp rsync ftp telnet nc ncat netcat socat'.split(' '),
)

/** DECISIONS 21: high where a command deletes or destroys, or reaches for the network, wherever it stands; else medium. */
export function riskOfCommand({ commands }: ShellAnalysis): Risk {
  const programs = commands.map(({ words }) => baseName(words[0] ?? ''))
  return programs.some((name) => destructive.has(name) || networked.has(name)) ? 'high' : 'medium'
}

/** low: reads, and writes inside; medium: what its arguments do not tell; high: deletes, the network, places outside. */
export function riskOfTool({ spec }: GateCall, paths: readonly PathValue[]): Risk {
  const { name, needsNetwork, mutating, kind } = spec
  if (name === 'delete_path' || needsNetwork || kind === 'fetch') return 'high'
  if (paths.some(({ forms }) => !forms.inWorkspace)) return 'high'
  const isNamed = /^(?:write|edit|create_directory|move_path|copy_path)$/.test(name)
  return mutating && !isNamed ? 'medium' : 'low'
}
