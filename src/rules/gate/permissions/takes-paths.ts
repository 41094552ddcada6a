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

/** GATE-06: whether a tool's rules are matched against paths. */
export function takesPaths(tool: string): boolean {
  return pathTools.has(tool)
}
