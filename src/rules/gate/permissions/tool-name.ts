const aliases: Readonly<Record<string, string>> = {
  shell_exec: 'bash',
  read_file: 'read',
  write_file: 'write',
  edit_file: 'edit',
  glob: 'find_path',
}

/** GATE-04: a tool's own name for a name that rules may use. */
export function toToolName(name: string): string {
  return Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name
}
