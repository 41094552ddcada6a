/** Returns an argument that the schema has validated; empty if absent. */
export function textArgument(args: Readonly<Record<string, unknown>>, name: string): string {
  const value = args[name]
  return typeof value === 'string' ? value : ''
}
