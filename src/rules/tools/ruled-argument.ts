import type { ToolSpec } from './tool-spec.ts'

type Ruled = Pick<ToolSpec, 'ruledBy'>

/** Whether a tool runs commands for bash. */
export function runsCommands({ ruledBy }: Ruled): boolean {
  return ruledBy?.kind === 'command'
}

/** The argument that says it all: a command or an address. undefined: the tool has none. */
export function mainArgument(spec: Ruled | undefined): string | undefined {
  const ruledBy = spec?.ruledBy
  return ruledBy?.kind === 'command' || ruledBy?.kind === 'url' ? ruledBy.argument : undefined
}

/** The command line of a call for bash; undefined for calls of other tools. */
export function commandOf(
  { ruledBy }: Ruled,
  args: Readonly<Record<string, unknown>>,
): string | undefined {
  const text = ruledBy?.kind === 'command' ? args[ruledBy.argument] : undefined
  return typeof text === 'string' ? text : undefined
}
