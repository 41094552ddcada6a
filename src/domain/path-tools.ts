import { wildcardMatch } from '../util/text/wildcard-match.ts'

const pathTools: ReadonlySet<string> = new Set([
  'read',
  'write',
  'edit',
  'put_file',
  'list_directory',
  'create_directory',
  'delete_path',
  'move_path',
  'copy_path',
  'find_path',
  'grep',
])
/** GATE-04: aliases of these tools in rules. */
const aliases = ['read_file', 'write_file', 'edit_file', 'glob']
const names = [...pathTools, ...aliases]

/** GATE-06: true if rules of this tool are matched against paths. */
export function takesPaths(tool: string): boolean {
  return pathTools.has(tool)
}

/** True if rules under this name, which may be a wildcard or an alias, are matched against paths. */
export function mayTakePaths(name: string): boolean {
  return /[*?]/.test(name) ? names.some((tool) => wildcardMatch(name, tool)) : names.includes(name)
}
