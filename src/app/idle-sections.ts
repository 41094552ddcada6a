import type { Config } from '../config/config.ts'

type Reaching = Pick<Config, 'mcp' | 'scheduler' | 'memory' | 'agents' | 'index'>

/** Returns one line for each enabled part that does not exist yet. */
export function idleSections({ mcp, ...sections }: Reaching): readonly string[] {
  const { scheduler, memory, agents, index } = sections
  const switched = Object.entries({ scheduler, memory, agents, index })
    .filter(([, { enabled }]) => enabled)
    .map(([name]) => `[${name}] enabled = true`)
  const servers = Object.entries(mcp)
    .filter(([, { enabled, network }]) => enabled && network)
    .map(([name]) => `[mcp.${name}] network = true (name its \`hosts\` instead)`)
  return [...switched, ...servers].map(
    (what) => `${what} has no effect: this version does not have that part yet`,
  )
}
